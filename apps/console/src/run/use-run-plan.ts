import { api } from '../api.ts'
import type { RegistryEntry } from '../registry/choose-entries.ts'
import { editOf, requestOf } from './request-of.ts'
import { basisOf, type RunForm } from './run-form.ts'
import { KNOWN } from './run-server.ts'
import { newSecrets, secretNameFor } from './secret-names.ts'
import { obstacles, usePlan } from './use-plan.ts'

/** What the daemon would do with the form: run it, or change the server that an earlier try made. */
export function useRunPlan(form: RunForm, entry: RegistryEntry | undefined, made: string | undefined) {
  const request = requestOf(form, basisOf(form, entry))
  const fresh = newSecrets(form).map(({ given }) => secretNameFor(form, given))
  const { data, error, isFetching } = usePlan({
    key: [made, request],
    ask: (signal) =>
      made === undefined
        ? api.plan('createWorkload', { body: request, query: KNOWN }, signal)
        : api.plan('editWorkload', { params: { name: made }, body: editOf(request), query: KNOWN }, signal),
    isEnabled: Boolean(request.image ?? request.url),
  })
  return { request, fresh, plan: data, isFetching, ...obstacles(data, error, fresh) }
}
