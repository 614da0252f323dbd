import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { WorkloadPlan } from '@toolhaven/contract/plans'
import { problemsOfError } from './field-labels.ts'
import { inFormWords } from './form-words.ts'

/** Waits until the user has stopped typing, so that no plan is fetched for half a word. */
const PAUSE_MS = 250

export interface PlanQuestion {
  /** What the plan depends on. */
  key: readonly unknown[]
  ask: (signal: AbortSignal) => Promise<WorkloadPlan>
  isEnabled: boolean
}

/** What the daemon would do with a request; until it has answered, what it said of the last one. */
export function usePlan({ key, ask, isEnabled }: PlanQuestion) {
  return useQuery({
    queryKey: ['plan', ...key],
    // A request that changed meanwhile ends the wait.
    queryFn: async ({ signal }) => {
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
      signal.throwIfAborted()
      return ask(signal)
    },
    enabled: isEnabled,
    placeholderData: keepPreviousData,
    // It may hold values of variables.
    gcTime: 0,
    staleTime: 0,
  })
}

/** What stands in the way, field by field; and an error that says nothing of fields. */
export function obstacles(plan: WorkloadPlan | undefined, error: unknown, coming: readonly string[]) {
  const refused = error === null ? undefined : problemsOfError(error)
  return { error: refused ? null : error, problems: refused ?? problemsOf(plan, coming) }
}

/** Secrets that are stored first, together with a store for them, are not missing. */
function problemsOf(plan: WorkloadPlan | undefined, coming: readonly string[]): WorkloadPlan['problems'] {
  const problems = (plan?.problems ?? []).filter(({ field }) => coming.length === 0 || field !== 'secrets')
  return problems.map((problem) => ({ ...problem, message: inFormWords(problem.message) }))
}
