import type { Socket } from 'node:net'
import type {
  AuditSpec,
  AuthenticationSpec,
  AuthorizationSpec,
  TelemetrySpec,
  ToolsOverride,
} from '@toolhaven/core/ports/gateway'
import type { Logger } from '@toolhaven/core/ports/logger'
import type { IdentityFetch } from '../oidc/identity-fetch.ts'
import type { TokenTimes } from '../oidc/token-check.ts'
import type { TaskOwners } from '../sessions/task-owners.ts'
import type { ToolWatch } from '../tools/tool-watch.ts'
import type { KnownSessions } from './admission/limits.ts'
import type { OpenAuditLog } from './observers/audit/audit-log.ts'
import type { TelemetryTimes } from './observers/telemetry/collector.ts'

/** The configuration of a workload. The code for parts that are not configured is not even loaded. */
export interface PipelineContext {
  allowedHosts: () => readonly string[]
  allowPeer: (socket: Socket) => boolean
  maxMessageBytes: number
  requestsPerMinute?: number | undefined
  clientRequestsPerMinute?: number | undefined
  allowedTools: () => ReadonlySet<string> | undefined
  /** Without it, callers are not authenticated. */
  authentication?: AuthenticationSpec | undefined
  /** Without it, everyone who may call may do everything. */
  authorization?: AuthorizationSpec | undefined
  toolsOverride?: ToolsOverride | undefined
  /** Without it, tools are not watched for changes. */
  toolsChanged?: 'warn' | 'block' | undefined
  toolWatch?: ToolWatch | undefined
  /** Without it, no call is recorded. */
  audit?: AuditSpec | undefined
  openAuditLog?: OpenAuditLog | undefined
  /** Without it, requests are not written to the log of the workload. */
  debug?: ((line: string) => void) | undefined
  /** Replaces known secrets. */
  mask?: ((text: string) => string) | undefined
  /** The address that clients use. */
  origin: string
  identityFetch?: ((allowPrivate: boolean, caCertificate?: string) => IdentityFetch) | undefined
  tokenTimes?: Partial<TokenTimes> | undefined
  /** Without it, calls are not reported. */
  telemetry?: TelemetrySpec | undefined
  telemetryTimes?: Partial<TelemetryTimes> | undefined
  workload: string
  sessions: KnownSessions
  tasks: TaskOwners
  logger: Logger
}
