import { join } from 'node:path'
import type { Logger } from '@toolhaven/core/ports/logger'
import { createAdoptionStore } from './adopt/adoption-store.ts'
import { createConsoleLoginStore } from './files/console-login-store.ts'
import { createExitStore } from './files/exit-store.ts'
import { createGroupStore } from './files/group-store.ts'
import type { ToolhavenPaths } from './files/paths.ts'
import { createSightingsStore } from './files/sightings-store.ts'
import { createToolLockStore } from './files/tool-lock-store.ts'
import { createWorkloadStore } from './files/workload-store.ts'

/** Everything that the daemon stores in one file per record. */
export function createRecords(
  { stateDir, workloadsDir, groupsDir }: Pick<ToolhavenPaths, 'stateDir' | 'workloadsDir' | 'groupsDir'>,
  logger: Logger,
) {
  return {
    workloadStore: createWorkloadStore({ dir: workloadsDir, logger }),
    groupStore: createGroupStore({ dir: groupsDir, logger }),
    sightingsStore: createSightingsStore({ dir: join(stateDir, 'sightings'), logger }),
    exitStore: createExitStore({ dir: join(stateDir, 'exits'), logger }),
    toolLockStore: createToolLockStore({ dir: join(stateDir, 'tools'), logger }),
    adoptionStore: createAdoptionStore({ dir: join(stateDir, 'adoptions'), logger }),
    consoleLoginStore: createConsoleLoginStore({ dir: join(stateDir, 'console'), logger }),
  }
}
