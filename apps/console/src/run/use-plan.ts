import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { CreateRequest } from '@toolhaven/contract/workload-request'
import { api } from '../api.ts'
import { editOf } from './run-form.ts'

/** Nobody reads a plan for half a word. */
const PAUSE_MS = 250

/** What the daemon would do with a request; until it has answered, what it said of the last one. */
export function usePlan(request: CreateRequest, made: string | undefined) {
  return useQuery({
    queryKey: ['plan', made, request],
    // A request that changed meanwhile ends the wait.
    queryFn: async ({ signal }) => {
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
      signal.throwIfAborted()
      if (made === undefined) return api.plan('createWorkload', { body: request }, signal)
      return api.plan('editWorkload', { params: { name: made }, body: editOf(request) }, signal)
    },
    enabled: Boolean(request.image ?? request.url),
    placeholderData: keepPreviousData,
    // It may hold values of variables.
    gcTime: 0,
    staleTime: 0,
  })
}
