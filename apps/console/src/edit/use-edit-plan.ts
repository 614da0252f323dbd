import type { UpdateRequest } from '@toolhaven/contract/workload-request'
import { api } from '../api.ts'
import { obstacles, usePlan } from '../run/use-plan.ts'
import type { EditBase } from './edit-base.ts'

/** What the daemon would do with an edit. `coming`: secrets that are stored before it. */
export function useEditPlan({ name, revision }: EditBase, update: UpdateRequest, coming: readonly string[] = []) {
  const isEmpty = Object.keys(update).length === 0
  const { data, error, isFetching } = usePlan({
    key: [name, revision, update],
    ask: (signal) => api.plan('editWorkload', { params: { name }, query: { revision }, body: update }, signal),
    isEnabled: !isEmpty,
  })
  // The daemon's answer about an earlier edit is not the plan of this one.
  if (isEmpty) return { isEmpty, plan: undefined, error: null, isFetching: false, problems: [] }
  return { isEmpty, plan: data, isFetching, ...obstacles(data, error, coming) }
}
