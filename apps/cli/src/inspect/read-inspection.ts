import type { Confinement } from '@toolhaven/contract/isolation'
import type { WorkloadStats } from '@toolhaven/contract/stats'
import type { ToolLock } from '@toolhaven/contract/tools'
import type { WorkloadDetails } from '@toolhaven/contract/workloads'
import { isThvError } from '@toolhaven/core/errors'
import { isOurLine } from '@toolhaven/core/workloads/last-words'
import type { DaemonClient } from '../connect/daemon-client.ts'
import { orUnknownWorkload } from '../lifecycle/or-unknown.ts'
import type { Line } from '../logs/line-writer.ts'
import { permissionSentences } from './permission-sentences.ts'

/** Everything that the daemon knows about one workload. `--format json` prints the same. */
export interface Inspection {
  workload: WorkloadDetails
  /** The registered clients that see it through a group. */
  clients: string[]
  permissions: string[]
  /** Undefined until its tools have been seen. */
  tools?: Pick<ToolLock, 'mode' | 'since'> & { names: string[]; changed: string[] }
  /** Undefined if it does not run here. */
  confinement?: Confinement
  /** Its resource usage and call figures. */
  stats: WorkloadStats
  /** How it last ended, and how often, as far back as the log goes. */
  last_exit?: { time?: string; message: string; last_lines: string[]; times: number }
}

const LAST_LINES = 5
/** The line that the daemon writes into the log when a server ends or does not start. */
const ENDED = /\] the server (?:exited|was killed|is restarted|could not be started)/

export async function readInspection(client: DaemonClient, name: string, signal: AbortSignal): Promise<Inspection> {
  const params = { name }
  const workload = await orUnknownWorkload(client, [name], signal, () => client.call('getWorkload', { params }, signal))
  const [clients, lock, confinement, stats, log] = await Promise.all([
    client.call('listClients', {}, signal),
    orNothing(client.call('getToolLock', { params }, signal)),
    orNothing(client.call('getIsolation', { params }, signal)),
    client.call('getStats', { params }, signal),
    client.call('readLogs', { params, query: { tail: '10000' } }, signal),
  ])
  return {
    workload,
    clients: clients.filter(({ groups }) => groups.includes(workload.group ?? 'default')).map((each) => each.name),
    permissions: permissionSentences(workload),
    ...(lock && { tools: toolsOf(lock) }),
    ...(confinement && { confinement }),
    stats,
    ...lastExit(log.lines),
  }
}

/** Undefined for a server that does not run, or is remote. */
async function orNothing<Value>(answer: Promise<Value>): Promise<Value | undefined> {
  try {
    return await answer
  } catch (error) {
    if (isThvError(error)) return undefined
    throw error
  }
}

function toolsOf({ mode, since, tools, changes }: ToolLock): NonNullable<Inspection['tools']> {
  const names = tools.filter(({ state }) => state !== 'removed').map(({ name }) => name)
  return { mode, since, names, changed: changes.map(({ name }) => name) }
}

export function lastExit(lines: readonly Line[]): Pick<Inspection, 'last_exit'> {
  const ends = lines.filter(({ text }) => isOurLine(text) && ENDED.test(text))
  const last = ends.at(-1)
  if (last === undefined) return {}
  const before = lines.slice(0, lines.lastIndexOf(last)).map(({ text }) => text)
  const own = before.slice(before.findLastIndex(isOurLine) + 1).slice(-LAST_LINES)
  const message = last.text.replace(/^\[toolhaven\] /, '')
  return {
    last_exit: { ...(last.time !== undefined && { time: last.time }), message, last_lines: own, times: ends.length },
  }
}
