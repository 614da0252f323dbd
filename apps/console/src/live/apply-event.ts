import type { QueryClient } from '@tanstack/react-query'
import { type WorkloadEvent, workloadEvent } from '@toolhaven/contract/events'
import * as z from 'zod'
import { workloadQuery, workloadsQuery } from '../queries.ts'
import type { ServerSentEvent } from './read-events.ts'

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

const change = z.object({ about: z.string() })

export function applyEvents(cache: QueryClient, events: readonly ServerSentEvent[]): void {
  const stale = new Set<string>()
  for (const { event, data } of events) {
    if (event === 'workload') applyWorkload(cache, workloadEvent.parse(JSON.parse(data)))
    if (event === 'change') for (const key of STALE_AFTER[change.parse(JSON.parse(data)).about] ?? []) stale.add(key)
    if (event === 'gap') return refetchEverything(cache)
  }
  for (const key of stale) void cache.invalidateQueries({ queryKey: [key] })
}

/** After a gap nobody knows what changed. */
export function refetchEverything(cache: QueryClient): void {
  void cache.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'connection' })
}

function applyWorkload(cache: QueryClient, { workload: name, status, status_context }: WorkloadEvent): void {
  const before = cache.getQueryData(workloadsQuery.queryKey)?.find((known) => known.name === name)
  if (status === 'removed') {
    cache.setQueryData(workloadsQuery.queryKey, (list) => list?.filter((known) => known.name !== name))
    void cache.invalidateQueries({ queryKey: ['workload', name] })
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
  // Progress changes nothing else; a new status may: an edit restarts, and a start reads the tools.
  if (before?.status !== status) void cache.invalidateQueries({ queryKey: ['workload', name] })
}

/** Also while no page shows it, so that no page begins with a list of yesterday. */
function refetchList(cache: QueryClient): void {
  void cache.invalidateQueries({ queryKey: workloadsQuery.queryKey, refetchType: 'all' })
}
