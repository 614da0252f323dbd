import { useQuery } from '@tanstack/react-query'
import type { Workload } from '@toolhaven/contract/workloads'
import { clientsQuery, statsListQuery } from '../queries.ts'
import { describeRow } from './describe-row.ts'

/** What the list says of the use of each server, and when it was measured. */
export function useRowTexts(): { textOf: (server: Workload) => string; measuredAt: number | undefined } {
  const { data: clients } = useQuery(clientsQuery)
  const { data: stats = [], dataUpdatedAt } = useQuery(statsListQuery)
  const byName = new Map(stats.map((each) => [each.name, each]))
  const byGroup = new Map<string, number>()
  for (const group of clients?.flatMap(({ groups }) => groups) ?? []) byGroup.set(group, (byGroup.get(group) ?? 0) + 1)
  return {
    textOf: ({ name, group }) => (clients ? describeRow(byGroup.get(group) ?? 0, byName.get(name)) : ''),
    measuredAt: stats.length > 0 ? dataUpdatedAt : undefined,
  }
}
