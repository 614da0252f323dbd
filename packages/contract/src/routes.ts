import { adoptRoutes } from './adopt.ts'
import { clientRoutes } from './clients.ts'
import { groupRoutes } from './groups.ts'
import { registryRoutes } from './registry.ts'
import { secretRoutes } from './secrets.ts'
import { systemRoutes } from './system.ts'
import { workloadRoutes } from './workloads.ts'

/** Every route by operation id. Validation, OpenAPI, the typed client and the reference page all come from here. */
export const routes = {
  ...systemRoutes,
  ...workloadRoutes,
  ...groupRoutes,
  ...clientRoutes,
  ...registryRoutes,
  ...secretRoutes,
} as const

  ...adoptRoutes,
export type OperationId = keyof typeof routes
