import { createHash } from 'node:crypto'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Egress, EgressEvents, OutboundRules, WayOut } from '@toolhaven/core/ports/egress'
import type { Logger } from '@toolhaven/core/ports/logger'
import type { Decision } from './decision.ts'
import type { Connect } from './dial.ts'
import { directPorts } from './direct-ports.ts'
import { EgressGate } from './egress-gate.ts'
import { NameMap } from './name-map.ts'
import type { Destination } from './outbound-policy.ts'
import { createSystemResolver, type Resolve } from './system-resolver.ts'

export interface WorkloadGatesOptions {
  /** A private folder of the daemon's user. Its path must be short, because the path of a socket has at most 107 bytes. */
  folder: string
  /** The ID of this installation, because several may share a folder. */
  instanceId: string
  logger: Logger
  events: EgressEvents
  /** Whether the daemon, one of its workloads or the container engine listens on this port of this machine. */
  isOwnPort?: (port: number) => boolean
  /** The address of the container engine's API, if it is on a TCP port. */
  engine?: Destination
  ownAddresses?: () => readonly string[]
  resolve?: Resolve
  connect?: Connect
  now?: () => number
}

interface OpenGate {
  gate: EgressGate
  names: NameMap
  rules: OutboundRules
  way: WayOut
}

const SOCKETS = { proxy: 'p', direct: 'd', names: 'n' } as const

/** One gate for each isolated workload, each in its own folder. */
export function createWorkloadGates({ resolve = createSystemResolver(), ...others }: WorkloadGatesOptions): Egress {
  const options = { ...others, resolve }
  const gates = new Map<string, Promise<OpenGate>>()
  const shut = async (workload: string) => {
    const found = gates.get(workload)
    gates.delete(workload)
    const open = await found?.catch(() => undefined)
    if (open) await closeGate(open)
  }
  return {
    async open(workload, rules) {
      const known = await gates.get(workload)?.catch(() => undefined)
      if (known !== undefined) {
        // Connections that only the old rules allowed are closed.
        if (JSON.stringify(known.rules) === JSON.stringify(rules)) return known.way
        await shut(workload)
      }
      const opening = openGate(options, workload, rules)
      gates.set(workload, opening)
      opening.catch(() => gates.delete(workload))
      return (await opening).way
    },
    async close(workload) {
      await shut(workload)
      // Also removes what a killed daemon left.
      const folder = folderOf(options, workload)
      for (const path of [folder, mapOf(folder)]) await rm(path, { recursive: true, force: true })
    },
    async [Symbol.asyncDispose]() {
      // The folders stay, because containers that outlive the daemon have them mounted, and the next daemon listens there again.
      const endings = [...gates.values()].map(async (opening) => closeGate(await opening))
      // A gate that could not be opened needs no closing.
      await Promise.allSettled(endings)
    },
  }
}

async function openGate(
  options: WorkloadGatesOptions & { resolve: Resolve },
  workload: string,
  rules: OutboundRules,
): Promise<OpenGate> {
  const { resolve, connect, events, isOwnPort, engine, ownAddresses } = options
  const folder = folderOf(options, workload)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const way = { folder, ...SOCKETS, ...directPorts(rules) }
  const gate = new EgressGate({
    socketPath: join(folder, way.proxy),
    rules,
    onDecision: reporter(options, workload),
    onSeen: (sighting) => events.onSeen(workload, sighting),
    ...(isOwnPort && { isOwnPort }),
    ...(engine && { engine }),
    ...(ownAddresses && { ownAddresses }),
    resolve,
    ...(connect && { connect }),
  })
  const names = new NameMap(mapOf(folder))
  try {
    await gate.open()
    await gate.openDirect(join(folder, way.direct), names)
    await gate.openNames(join(folder, way.names), names)
    return { gate, names, rules, way }
  } catch (error) {
    await closeGate({ gate, names })
    throw error
  }
}

async function closeGate({ gate, names }: Pick<OpenGate, 'gate' | 'names'>): Promise<void> {
  await gate.close()
  names.close()
}

/** Outside the folder, because forwarders see the folder. */
const mapOf = (folder: string) => `${folder}.names`

/** Long enough that two workloads never share a folder. */
function folderOf({ folder, instanceId }: WorkloadGatesOptions, workload: string): string {
  return join(folder, createHash('sha256').update(`${instanceId} ${workload}`).digest('base64url').slice(0, 9))
}

const REPEAT_MS = 60_000
/** A limit, so that a workload that tries many names fills neither the memory nor the log. */
const MOST_TOLD = 1_000

function reporter({ logger, events, now = Date.now }: WorkloadGatesOptions, workload: string) {
  const told = new Map<string, number>()
  return ({ host, port, isAllowed, reason }: Decision) => {
    logger.debug('a connection was decided', { workload, host, port, isAllowed, ...(reason && { reason }) })
    if (isAllowed || reason === undefined) return
    const at = now()
    const before = told.get(reason)
    if (before === undefined ? told.size >= MOST_TOLD : at - before < REPEAT_MS) return
    told.set(reason, at)
    events.onBlocked(workload, reason.startsWith('blocked: ') ? reason : `blocked: ${reason}`)
  }
}
