import type { isolationRoutes } from '@toolhaven/contract/isolation'
import { getIsolation } from '@toolhaven/core/workloads/isolation'
import type { ApiDeps } from '../api-deps.ts'
import type { Handlers } from '../bind.ts'

export function isolationHandlers({ isolation }: ApiDeps): Pick<Handlers, keyof typeof isolationRoutes> {
  return { getIsolation: ({ params, signal }) => getIsolation(isolation, params.name, signal) }
}
