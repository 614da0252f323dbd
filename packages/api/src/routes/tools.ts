import type { toolRoutes } from '@toolhaven/contract/tools'
import { acceptTools, getToolLock } from '@toolhaven/core/tools/tool-lock'
import type { ApiDeps } from '../api-deps.ts'
import type { Handlers } from '../bind.ts'

export function toolHandlers({ workloads }: ApiDeps): Pick<Handlers, keyof typeof toolRoutes> {
  return {
    getToolLock: ({ params }) => getToolLock(workloads, params.name),
    acceptTools: ({ params, body }) => acceptTools(workloads, params.name, body),
  }
}
