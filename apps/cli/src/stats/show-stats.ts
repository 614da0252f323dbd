import { setTimeout as delay } from 'node:timers/promises'
import type { WorkloadStats } from '@toolhaven/contract/stats'
import { invalid } from '@toolhaven/core/errors'
import type { DaemonClient } from '../connect/daemon-client.ts'
import type { Context } from '../context.ts'
import { orUnknownGroup, orUnknownWorkload } from '../lifecycle/or-unknown.ts'
import { terminalJson } from '../output/output.ts'
import { statsTable } from './stats-table.ts'

export interface StatsOptions {
  all: boolean
  group: string | undefined
  noStream: boolean
  format: string
}

const EVERY_MS = 2000

export async function showStats(context: Context, args: readonly string[], options: StatsOptions): Promise<void> {
  const { out, signal } = context
  const names = [...new Set(args)]
  if (names.length > 0 && (options.all || options.group !== undefined))
    throw invalid('names cannot be combined with --group or --all')
  const client = await context.daemon()
  const look = () => statsOf(client, names, options, signal)
  const isJson = options.format === 'json'
  if (options.noStream) {
    const workloads = await look()
    if (isJson) return out.json({ workloads })
    if (workloads.length === 0) return out.note(nothing(options))
    return out.line(statsTable(out, workloads))
  }
  try {
    using screen = out.screen()
    while (!signal.aborted) {
      const workloads = await look()
      if (isJson) out.line(terminalJson({ workloads }))
      else screen.show(workloads.length === 0 ? nothing(options) : statsTable(out, workloads))
      await delay(EVERY_MS, undefined, { signal })
    }
  } catch (error) {
    // Ctrl-C is the normal way to stop watching.
    if (!signal.aborted) throw error
  }
}

async function statsOf(
  client: DaemonClient,
  names: readonly string[],
  { all, group }: StatsOptions,
  signal: AbortSignal,
): Promise<WorkloadStats[]> {
  if (names.length > 0) {
    const one = (name: string) => client.call('getStats', { params: { name } }, signal)
    return orUnknownWorkload(client, names, signal, () => Promise.all(names.map(one)))
  }
  const { workloads } = await orUnknownGroup(client, group, signal, () =>
    client.call('listStats', { query: { all, group } }, signal),
  )
  return workloads
}

function nothing({ all }: StatsOptions): string {
  return all ? 'No workload matches.' : 'No workload is running; "thv stats --all" shows stopped ones too.'
}
