import type { OpenApiDocument } from '@toolhaven/contract/openapi'
import type { RuntimeReport } from '@toolhaven/contract/system'
import type { ClientsDeps } from '@toolhaven/core/clients/clients'
import type { EventBus } from '@toolhaven/core/event-bus'
import type { GroupsDeps } from '@toolhaven/core/groups/groups'
import type { Logger } from '@toolhaven/core/ports/logger'
import type { RegistryDeps } from '@toolhaven/core/registry/registry'
import type { Secrets } from '@toolhaven/core/secrets/secrets'
import type { SettingsDeps } from '@toolhaven/core/settings/settings'
import type { WorkloadsDeps } from '@toolhaven/core/workloads/workloads-deps'

/** The whole daemon as the API sees it. */
export interface ApiDeps {
  version: string
  openApi: OpenApiDocument
  workloads: WorkloadsDeps
  groups: GroupsDeps
  clients: ClientsDeps
  registry: RegistryDeps
  secrets: Secrets
  settings: SettingsDeps
  events: EventBus
  runtimeReport: (signal: AbortSignal) => Promise<RuntimeReport>
  logger: Logger
  /** Ends event streams when the daemon stops. */
  shutdown: AbortSignal
}
