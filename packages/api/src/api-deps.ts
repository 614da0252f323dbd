import type { DoctorReport } from '@toolhaven/contract/doctor'
import type { OpenApiDocument } from '@toolhaven/contract/openapi'
import type { RuntimeReport } from '@toolhaven/contract/system'
import type { Daemon } from '@toolhaven/core/daemon'
import type { Logger } from '@toolhaven/core/ports/logger'

/** The whole daemon as the API sees it: the domain, without what runs it. */
export interface ApiDeps extends Omit<Daemon, 'gateway' | 'supervisor' | 'load' | 'run'> {
  version: string
  openApi: OpenApiDocument
  runtimeReport: (signal: AbortSignal) => Promise<RuntimeReport>
  /** The machine, and every workload that should run or the one that is named. */
  doctor: (workload: string | undefined, signal: AbortSignal) => Promise<DoctorReport>
  logger: Logger
  /** Ends event streams when the daemon stops. */
  shutdown: AbortSignal
}
