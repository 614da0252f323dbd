import type { QueryClient } from '@tanstack/react-query'
import { workloadsQuery } from '../queries.ts'

const LEAST_PAUSE_MS = 250
const MOST_PAUSE_MS = 5_000
const PAUSE_PER_SERVER_MS = 5

interface Refresh {
  timer?: ReturnType<typeof setTimeout>
  isWanted: boolean
}

const refreshes = new WeakMap<QueryClient, Refresh>()

/**
 * Reads the list again, also while no page shows it, so that no page begins with a list of yesterday. At once if it was
 * quiet; while much happens only now and then, the less often the longer the list is. The last change is never missed.
 */
export function refreshList(cache: QueryClient): void {
  const refresh = refreshes.get(cache) ?? { isWanted: false }
  refreshes.set(cache, refresh)
  refresh.isWanted = true
  if (refresh.timer === undefined) read(cache, refresh)
}

function read(cache: QueryClient, refresh: Refresh): void {
  refresh.isWanted = false
  void cache.invalidateQueries({ queryKey: workloadsQuery.queryKey, refetchType: 'all' })
  const count = cache.getQueryData(workloadsQuery.queryKey)?.length ?? 0
  const pause = Math.min(MOST_PAUSE_MS, Math.max(LEAST_PAUSE_MS, count * PAUSE_PER_SERVER_MS))
  refresh.timer = setTimeout(() => {
    delete refresh.timer
    if (refresh.isWanted) read(cache, refresh)
  }, pause)
}
