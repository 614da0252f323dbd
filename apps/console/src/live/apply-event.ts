import type { QueryClient } from '@tanstack/react-query'
import { type WorkloadEvent, workloadEvent } from '@toolhaven/contract/events'
import * as z from 'zod'
import { workloadQuery, workloadsQuery } from '../queries.ts'
import type { ServerSentEvent } from './read-events.ts'
import { type NewEvent, recordEvents, textOfChange, textOfStatus } from './recent-events.ts'
import { refreshList } from './refresh-list.ts'

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

/** Many events in a moment are one change of the cache, and so one of the page. */
export function applyEvents(cache: QueryClient, events: readonly ServerSentEvent[]): void {
  const stale = new Set<string>()
  const news: NewEvent[] = []
  const workloads: WorkloadEvent[] = []
  for (const { event, data } of events) {
    if (event === 'workload') workloads.push(workloadEvent.parse(JSON.parse(data)))
    if (event === 'change') {
      const { about, name } = change.parse(JSON.parse(data))
      for (const key of STALE_AFTER[about] ?? []) stale.add(key)
      const text = textOfChange(about, name)
      if (text !== undefined) news.push({ text })
    }
    if (event === 'gap') return refetchEverything(cache)
  }
  if (workloads.length > 0) applyWorkloads(cache, workloads, news, stale)
  if (news.length > 0) recordEvents(cache, news)
  for (const key of stale) void cache.invalidateQueries({ queryKey: [key] })
}

/** After a gap it is unknown what changed. */
export function refetchEverything(cache: QueryClient): void {
  void cache.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'connection' })
}

function applyWorkloads(
  cache: QueryClient,
  events: readonly WorkloadEvent[],
  news: NewEvent[],
  stale: Set<string>,
): void {
  const list = cache.getQueryData(workloadsQuery.queryKey)
  const known = new Map(list?.map((server) => [server.name, server]))
  const turned = new Set<string>()
  for (const event of events) {
    const { workload: name, status, status_context } = event
    const before = known.get(name)
    if (before?.status !== status) turned.add(name)
    // Each stream begins with how every server is. That is news only where it is known how it was.
    if (list && before?.status !== status) news.push({ server: name, text: textOfStatus(event) })
    // A new server may use a secret.
    if (before === undefined && status !== 'removed') stale.add('secrets')
    if (status === 'removed') known.delete(name)
    else if (before) {
      known.set(name, { ...before, status, status_context })
      cache.setQueryData(workloadQuery(name).queryKey, (details) => details && { ...details, status, status_context })
    }
  }
  cache.setQueryData(workloadsQuery.queryKey, (all) => all?.flatMap(({ name }) => known.get(name) ?? []))
  // Progress changes nothing else; a new status may: an edit restarts, and a start reads the tools.
  for (const name of turned) void cache.invalidateQueries({ queryKey: ['workload', name] })
  // Entries of clients follow what runs.
  if (turned.size > 0) void cache.invalidateQueries({ queryKey: ['clients', 'preview'] })
  // An edit may have changed what the list shows. An answer that is on its way may be older than these events.
  const hasTurned = events.some(({ workload: name, status }) => status !== 'removed' && turned.has(name))
  if (hasTurned || cache.isFetching(workloadsQuery) > 0) refreshList(cache)
}
