import type { DoctorReport } from '@toolhaven/contract/doctor'
import type { OpenApiDocument } from '@toolhaven/contract/openapi'
import type { RuntimeReport } from '@toolhaven/contract/runtime-report'
import type { ConsoleLogins } from '@toolhaven/core/console/console-logins'
import type { Daemon } from '@toolhaven/core/daemon'
import type { Logger } from '@toolhaven/core/ports/logger'

/** What the API needs of the daemon. */
/** Requests that are forwarded to the port of a workload. */
export interface RelayedRequest {
  url: string
  method: string
  headers: Headers
  body: Request['body']
}

export interface ApiDeps extends Omit<Daemon, 'gateway' | 'supervisor' | 'load' | 'run'> {
  version: string
  openApi: OpenApiDocument
  runtimeReport: (signal: AbortSignal) => Promise<RuntimeReport>
  /** Checks the machine, and every workload that should run, or only the named one. */
  doctor: (workload: string | undefined, signal: AbortSignal) => Promise<DoctorReport>
  console: {
    logins: ConsoleLogins
    /** The address of the console, with a final slash. Undefined while the API has no port. */
    address: () => string | undefined
  }
  relay: (request: RelayedRequest, signal: AbortSignal) => Promise<Response>
  logger: Logger
  /** Ends event streams when the daemon stops. */
  shutdown: AbortSignal
}
