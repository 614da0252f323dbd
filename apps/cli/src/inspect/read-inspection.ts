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

/** Everything that the daemon knows of one workload. This is also what `--format json` prints. */
export interface Inspection {
  workload: WorkloadDetails
  /** The registered clients whose groups hold it. */
  clients: string[]
  permissions: string[]
  /** Left out while nobody has seen its tools. */
  tools?: Pick<ToolLock, 'mode' | 'since'> & { names: string[]; changed: string[] }
  /** Left out when nothing of it runs here. */
  confinement?: Confinement
  /** What it uses, and how it answers. */
  stats: WorkloadStats
  /** How it ended last, and how often it did, as far back as the log goes. */
  last_exit?: { time?: string; message: string; last_lines: string[]; times: number }
}

const LAST_LINES = 5
/** What the daemon writes into the log when a server ends or does not come up. */
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

/** A server that does not run, or runs elsewhere, has no such thing. */
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
