import type { EventBus } from '../event-bus.ts'
import type { PackageIndex } from '../ports/host.ts'
import type { ImageRegistry } from '../ports/image-registry.ts'
import type { WorkloadsDeps } from '../workloads/workloads-deps.ts'

export interface UpgradesDeps {
  workloads: WorkloadsDeps
  packages: PackageIndex
  imageRegistry: ImageRegistry
  events: EventBus
  shutdown: AbortSignal
}
