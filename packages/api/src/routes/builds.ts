import type { buildRoutes } from '@toolhaven/contract/builds'
import { buildPackage, buildRecipe, checkBuild } from '@toolhaven/core/builds/build'
import type { ApiDeps } from '../api-deps.ts'
import type { Handlers } from '../bind.ts'
import { taskStream } from '../task-stream.ts'

export function buildHandlers(deps: ApiDeps): Pick<Handlers, keyof typeof buildRoutes> {
  const { builds } = deps
  return {
    getBuildRecipe: ({ query, signal }) => buildRecipe(builds, query.package, signal),
    buildPackage: ({ body, signal }) => {
      checkBuild(builds, body)
      return taskStream(deps, signal, async (report, calledOff) => {
        const onProgress = (progress: object) => report({ state: 'working', progress })
        report({ state: 'done', ...(await buildPackage(builds, body, onProgress, calledOff)) })
      })
    },
  }
}
