import { adoptRoutes } from './adopt.ts'
import { buildRoutes } from './builds.ts'
import { clientRoutes } from './clients.ts'
import { consoleRoutes } from './console.ts'
import { doctorRoutes } from './doctor.ts'
import { exitRoutes } from './exits.ts'
import { folderRoutes } from './folders.ts'
import { groupRoutes } from './groups.ts'
import { inspectionRoutes } from './inspections.ts'
import { isolationRoutes } from './isolation.ts'
import { lessonRoutes } from './lesson.ts'
import { registryRoutes } from './registry.ts'
import { secretRoutes } from './secrets.ts'
import { statsRoutes } from './stats.ts'
import { serverConnectionRoutes } from './server-connection.ts'
import { systemRoutes } from './system.ts'
import { toolRoutes } from './tools.ts'
import { upgradeRoutes } from './upgrades.ts'
import { workloadRoutes } from './workloads.ts'

/** Every route by operation id. Validation, OpenAPI, the typed client and the reference page all come from here. */
export const routes = {
  ...systemRoutes,
  ...doctorRoutes,
  ...folderRoutes,
  ...workloadRoutes,
  ...exitRoutes,
  ...serverConnectionRoutes,
  ...buildRoutes,
  ...inspectionRoutes,
  ...groupRoutes,
  ...clientRoutes,
  ...adoptRoutes,
  ...isolationRoutes,
  ...lessonRoutes,
  ...statsRoutes,
  ...toolRoutes,
  ...upgradeRoutes,
  ...registryRoutes,
  ...secretRoutes,
  ...consoleRoutes,
} as const

export type OperationId = keyof typeof routes
