import type { QueryClient } from '@tanstack/react-query'
import { type WorkloadEvent, workloadEvent } from '@toolhaven/contract/events'
import * as z from 'zod'
import { workloadQuery, workloadsQuery } from '../queries.ts'
import type { ServerSentEvent } from './read-events.ts'
import { recordEvent, textOfChange, textOfStatus } from './recent-events.ts'

/** What each kind of change makes stale. A workload's own event carries what is new and is applied instead. */
const STALE_AFTER: Readonly<Record<string, readonly string[]>> = {
  group: ['groups', 'workloads', 'clients'],
  client: ['clients', 'groups'],
  secret: ['secrets'],
  registry: ['registry'],
  tools: ['workload'],
  isolation: ['workload'],
  settings: ['settings'],
}

const change = z.object({ about: z.string(), name: z.string().optional() })

export function applyEvents(cache: QueryClient, events: readonly ServerSentEvent[]): void {
  const stale = new Set<string>()
  for (const { event, data } of events) {
    if (event === 'workload') applyWorkload(cache, workloadEvent.parse(JSON.parse(data)))
    if (event === 'change') {
      const { about, name } = change.parse(JSON.parse(data))
      for (const key of STALE_AFTER[about] ?? []) stale.add(key)
      const text = textOfChange(about, name)
      if (text !== undefined) recordEvent(cache, { text })
    }
    if (event === 'gap') return refetchEverything(cache)
  }
  for (const key of stale) void cache.invalidateQueries({ queryKey: [key] })
}

/** After a gap nobody knows what changed. */
export function refetchEverything(cache: QueryClient): void {
  void cache.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'connection' })
}

function applyWorkload(cache: QueryClient, event: WorkloadEvent): void {
  const { workload: name, status, status_context } = event
  const list = cache.getQueryData(workloadsQuery.queryKey)
  const before = list?.find((known) => known.name === name)
  // Each stream begins with how every server is. That is news only where it is known how it was.
  if (list && before?.status !== status) recordEvent(cache, { server: name, text: textOfStatus(event) })
  if (status === 'removed') {
    cache.setQueryData(workloadsQuery.queryKey, (list) => list?.filter((known) => known.name !== name))
    for (const queryKey of [
      ['workload', name],
      ['clients', 'preview'],
    ])
      void cache.invalidateQueries({ queryKey })
    return
  }
  // An edit may have changed what the list shows. An answer that is on its way may be older than this event.
  if (before?.status !== status || cache.isFetching(workloadsQuery) > 0) refetchList(cache)
  // A new server may use a secret.
  if (before === undefined) void cache.invalidateQueries({ queryKey: ['secrets'] })
  if (before?.status === status && before.status_context === status_context) return
  cache.setQueryData(workloadsQuery.queryKey, (list) =>
    list?.map((known) => (known.name === name ? { ...known, status, status_context } : known)),
  )
  cache.setQueryData(workloadQuery(name).queryKey, (details) => details && { ...details, status, status_context })
  // Entries of clients follow what runs.
  if (before?.status !== status) void cache.invalidateQueries({ queryKey: ['clients', 'preview'] })
  // Progress changes nothing else; a new status may: an edit restarts, and a start reads the tools.
  if (before?.status !== status) void cache.invalidateQueries({ queryKey: ['workload', name] })
}

/** Also while no page shows it, so that no page begins with a list of yesterday. */
function refetchList(cache: QueryClient): void {
  void cache.invalidateQueries({ queryKey: workloadsQuery.queryKey, refetchType: 'all' })
}
