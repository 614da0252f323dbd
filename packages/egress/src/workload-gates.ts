import { createHash } from 'node:crypto'
import { mkdir, rm } from 'node:fs/promises'
import { isIP } from 'node:net'
import { join } from 'node:path'
import type { Egress, EgressEvents, OutboundRules, WayOut } from '@toolhaven/core/ports/egress'
import type { Logger } from '@toolhaven/core/ports/logger'
import type { Decision } from './decision.ts'
import type { Connect, Resolve } from './dial.ts'
import { EgressGate } from './egress-gate.ts'

export interface WorkloadGatesOptions {
  /** A folder of the daemon's user alone. Short: the path of a socket has 107 bytes. */
  folder: string
  /** Which installation this is: several may share a folder. */
  instanceId: string
  logger: Logger
  events: EgressEvents
  resolve?: Resolve
  connect?: Connect
  now?: () => number
}

interface OpenGate {
  gate: EgressGate
  rules: OutboundRules
  way: WayOut
}

/** A loopback address and a listener each in the forwarder, which has 64 of them. */
const MOST_PLACES = 60
const PROXY = 'p'

/** One gate for each isolated workload, in a folder of its own. */
export function createWorkloadGates(options: WorkloadGatesOptions): Egress {
  const gates = new Map<string, Promise<OpenGate>>()
  const close = async (workload: string) => {
    const found = gates.get(workload)
    gates.delete(workload)
    const open = await found?.catch(() => undefined)
    await open?.gate.close()
    // Also what a daemon left that was killed.
    await rm(folderOf(options, workload), { recursive: true, force: true })
  }
  return {
    async open(workload, rules) {
      const known = await gates.get(workload)?.catch(() => undefined)
      if (known !== undefined) {
        // Connections that the old rules allowed do not outlive them.
        if (JSON.stringify(known.rules) === JSON.stringify(rules)) return known.way
        await close(workload)
      }
      const opening = openGate(options, workload, rules)
      gates.set(workload, opening)
      opening.catch(() => gates.delete(workload))
      return (await opening).way
    },
    close,
    async [Symbol.asyncDispose]() {
      // The folders stay: a container that outlives the daemon has them mounted, and the next daemon listens there again.
      const endings = [...gates.values()].map(async (opening) => (await opening).gate.close())
      // One that could not be opened needs no closing.
      await Promise.allSettled(endings)
    },
  }
}

async function openGate(options: WorkloadGatesOptions, workload: string, rules: OutboundRules): Promise<OpenGate> {
  const { resolve, connect, events } = options
  const folder = folderOf(options, workload)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const gate = new EgressGate({
    socketPath: join(folder, PROXY),
    rules,
    onDecision: reporter(options, workload),
    onSeen: (sighting) => events.onSeen(workload, sighting),
    ...(resolve && { resolve }),
    ...(connect && { connect }),
  })
  try {
    await gate.open()
    const places = namedPlaces(rules).map((place, index) => ({ ...place, socket: String(index) }))
    for (const { socket, ...place } of places) await gate.openDirect(join(folder, socket), place)
    return { gate, rules, way: { folder, proxy: PROXY, places } }
  } catch (error) {
    await gate.close()
    throw error
  }
}

/** Long enough that no two workloads ever meet in one folder. */
function folderOf({ folder, instanceId }: WorkloadGatesOptions, workload: string): string {
  return join(folder, createHash('sha256').update(`${instanceId} ${workload}`).digest('base64url').slice(0, 9))
}

/** Exact names only: of a wildcard nobody knows the names in advance, and an address needs no name. */
function namedPlaces({ allowHost, allowPort }: OutboundRules): { host: string; port: number }[] {
  const names = [...new Set(allowHost.map((host) => host.toLowerCase()))].filter(
    (host) => !/^\*?\./.test(host) && isIP(host) === 0,
  )
  const ports = allowPort.length > 0 ? [...new Set(allowPort)] : [443]
  return names.flatMap((host) => ports.map((port) => ({ host, port }))).slice(0, MOST_PLACES)
}

const REPEAT_MS = 60_000
/** A workload that tries every name there is must fill neither the memory nor the log. */
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
