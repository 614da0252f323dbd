import type { inspectionRoutes } from '@toolhaven/contract/inspections'
import type { ApiDeps } from '../api-deps.ts'
import type { Handlers } from '../bind.ts'
import { taskStream } from '../task-stream.ts'

export function inspectionHandlers(deps: ApiDeps): Pick<Handlers, keyof typeof inspectionRoutes> {
  return {
    inspectWorkload: async ({ params, body, signal }) =>
      taskStream(deps, signal, await deps.inspections.open(params.name, body)),
  }
}
