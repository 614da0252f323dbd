import type { Workload } from '@toolhaven/contract/workloads'
import { WORKLOAD_STATUS_NAMES } from '@toolhaven/contract/workload-status'
import type { ServersSearch } from './servers-search.ts'

/** Worst first, so that sorting by status shows first what needs attention. */
const URGENCY = ['error', 'unhealthy', 'unknown', 'starting', 'stopping', 'removing', 'running', 'stopped'] as const
const urgencyOf = new Map(WORKLOAD_STATUS_NAMES.map((status) => [status, URGENCY.indexOf(status)]))

/** The servers that the filters leave, in the order that was asked for. */
export function chooseServers(all: readonly Workload[], { q = '', group, status, sort = 'name' }: ServersSearch) {
  const words = q.toLowerCase().split(/\s+/).filter(Boolean)
  const found = all.filter((server) => {
    if (group !== undefined && server.group !== group) return false
    if (status !== undefined && server.status !== status) return false
    const text = `${server.name} ${server.package} ${server.status_context}`.toLowerCase()
    return words.every((word) => text.includes(word))
  })
  return found.toSorted((one, other) => compare[sort](one, other) || one.name.localeCompare(other.name))
}

const compare: Record<NonNullable<ServersSearch['sort']>, (one: Workload, other: Workload) => number> = {
  name: () => 0,
  group: (one, other) => one.group.localeCompare(other.group),
  status: (one, other) => (urgencyOf.get(one.status) ?? 0) - (urgencyOf.get(other.status) ?? 0),
  created: (one, other) => other.created_at.localeCompare(one.created_at),
}
