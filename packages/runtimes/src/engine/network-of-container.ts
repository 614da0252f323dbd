import type { Mount } from '@toolhaven/core/ports/runtime'
import type { Guard } from './container-guard.ts'

/** How a container is connected, and what its network requires of the rest of it. */
export interface ContainerNetwork extends Partial<Guard> {
  /** The engine's name for it. */
  mode: string
  env: Readonly<Record<string, string>>
  mounts: readonly Mount[]
  /** Volumes of the engine, all of them read-only. */
  volumes?: readonly { name: string; containerPath: string }[]
}
