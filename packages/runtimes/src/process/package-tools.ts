import type { Logger } from '@toolhaven/core/ports/logger'
import type { IsolationPlaces } from '../isolation/isolation-places.ts'
import type { KnownIndex } from '../package-index/with-index.ts'
import type { ControlGroups } from './control-group.ts'
import type { ProcessLimits } from './process-limits.ts'
import type { Sandbox } from './sandbox.ts'

export interface PackageTools {
  dataDir: string
  nodePath: string
  env: Readonly<Record<string, string | undefined>>
  homeDir: string
  sandbox: Sandbox
  controlGroups: ControlGroups
  processLimits: ProcessLimits | undefined
  isolation: IsolationPlaces
  index: KnownIndex
  logger: Logger
}

export interface PackageName {
  name: string
  version: string
}
