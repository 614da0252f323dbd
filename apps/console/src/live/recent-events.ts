import { type QueryClient, queryOptions } from '@tanstack/react-query'
import type { WorkloadEvent } from '@toolhaven/contract/events'

/** Something that happened while the page was open. */
export interface RecentEvent {
  id: number
  at: number
  /** The server that it happened to. */
  server?: string
  text: string
}

const MOST = 50

const none = (): RecentEvent[] => []

/** Newest first. The daemon keeps no such list, so it begins when the page opens. */
export const recentQuery = queryOptions({
  queryKey: ['recent'],
  queryFn: none,
  initialData: none,
  enabled: false,
})

export type NewEvent = Pick<RecentEvent, 'server' | 'text'>

/** Oldest first. */
export function recordEvents(cache: QueryClient, events: readonly NewEvent[]): void {
  cache.setQueryData(recentQuery.queryKey, (before = []) => {
    const first = (before[0]?.id ?? 0) + 1
    const added = events.map((event, at): RecentEvent => ({ ...event, id: first + at, at: Date.now() }))
    return [...added.slice(-MOST).toReversed(), ...before].slice(0, MOST)
  })
}

export function textOfStatus({ status, status_context: reason }: WorkloadEvent): string {
  if (status === 'removed') return 'was removed'
  return status === 'error' || status === 'unhealthy' ? `${status}: ${reason}` : `is ${status}`
}

const SUBJECTS: Readonly<Record<string, string>> = {
  group: 'The group',
  client: 'The client',
  secret: 'The secret',
  registry: 'The registry',
  settings: 'The settings',
}

/** Undefined: nothing that somebody looks back at. */
export function textOfChange(about: string, name: string | undefined): string | undefined {
  const subject = SUBJECTS[about]
  if (subject === undefined) return undefined
  return `${name === undefined || about === 'registry' ? subject : `${subject} ${name}`} changed`
}
