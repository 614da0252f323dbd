import type { statsRoutes } from '@toolhaven/contract/stats'
import { getStats, listStats } from '@toolhaven/core/workloads/stats'
import type { ApiDeps } from '../api-deps.ts'
import type { Handlers } from '../bind.ts'

export function statsHandlers({ stats }: ApiDeps): Pick<Handlers, keyof typeof statsRoutes> {
  return {
    listStats: ({ query, signal }) => listStats(stats, query, signal),
    getStats: ({ params, signal }) => getStats(stats, params.name, signal),
  }
}
