import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { WorkloadPlan } from '@toolhaven/contract/plans'
import type { RunConfig } from '@toolhaven/contract/run-config'
import { api } from '../api.ts'
import { secretsQuery } from '../queries.ts'
import { refuseEarly } from '../run/run-server.ts'
import { usePlan } from '../run/use-plan.ts'
import { createSecret } from '../secrets/store-secret.ts'
import { importCall, type ImportWish, secretsOf } from './import-wish.ts'

/** What the daemon would do with a configuration, and what carries it out. Secrets that it lacks are stored first. */
export function useImport(config: RunConfig, wish: ImportWish, values: Readonly<Record<string, string>>) {
  const cache = useQueryClient()
  const { data: keys } = useQuery(secretsQuery)
  const missing = keys ? secretsOf(config).filter((name) => !keys.includes(name)) : []
  const coming = missing.filter((name) => values[name])
  const call = importCall(config, wish)
  const { data, error, isFetching } = usePlan({
    key: ['import', call, keys],
    ask: (signal) => api.plan('importWorkload', call, signal),
    isEnabled: true,
  })
  const run = useMutation({
    mutationFn: async () => {
      const plan = await api.plan('importWorkload', call)
      refuseEarly({ ...plan, problems: withoutMissing(plan, missing) })
      try {
        for (const name of coming) await createSecret(api, name, values[name] ?? '')
      } finally {
        await cache.invalidateQueries(secretsQuery)
      }
      return api.call('importWorkload', call)
    },
  })
  const problems = data ? withoutMissing(data, missing) : []
  return { call, missing, coming, plan: data, problems, error, isFetching, run }
}

/** The form asks for the secrets that are missing, which the daemon tells in one problem, as that there is no store for them. */
function withoutMissing({ problems }: WorkloadPlan, missing: readonly string[]) {
  return problems.filter(({ field, status }) => !(missing.length > 0 && field === 'secrets' && status === 404))
}
