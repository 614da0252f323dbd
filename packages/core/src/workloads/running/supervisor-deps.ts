import type { Clock } from '../../ports/clock.ts'
import type { Egress } from '../../ports/egress.ts'
import type { Gateway } from '../../ports/gateway.ts'
import type { FolderWatch } from '../../ports/folder-watch.ts'
import type { Hiding } from '../../ports/hiding.ts'
import type { Host, PackageIndex } from '../../ports/host.ts'
import type { ImageVerifier } from '../../ports/image-verifier.ts'
import type { Logger } from '../../ports/logger.ts'
import type { Runtime } from '../../ports/runtime.ts'
import type { LogStore } from '../../ports/stores.ts'
import type { Masker } from '../../secrets/masker.ts'
import type { ToolLocks } from '../../tools/tool-locks.ts'
import type { ExitHistory } from '../../history/exit-history.ts'
import type { WorkloadBook } from './book.ts'
import type { InstallNetworks } from './install-networks.ts'
import type { Sightings } from './sightings.ts'
import type { SessionInstances } from './session-instances.ts'
import type { TelemetryDefaults } from '../config/telemetry.ts'

export interface SupervisorDeps {
  book: WorkloadBook
  runtime: Runtime
  gateway: Gateway
  egress: Egress
  hiding: Hiding
  folders: FolderWatch
  host: Host
  /** PEM text of a file of certificates; `invalid` when it is none. */
  readCertificate: (path: string) => Promise<string>
  packages: PackageIndex
  images: ImageVerifier
  logs: LogStore
  /** What packages reach while they are installed. */
  installs: InstallNetworks
  sightings: Sightings
  toolLocks: ToolLocks
  exits: ExitHistory
  masker: Masker
  /** Servers that belong to one client session each. */
  sessions: SessionInstances
  clock: Clock
  logger: Logger
  /** Value of a stored secret; `not-found` when it is missing, `unavailable` when the provider does not answer. */
  readSecret: (key: string) => Promise<string>
  deleteSecret: (key: string) => Promise<void>
  /** PEM text builds and fetches should trust besides the system's. */
  caCertificate: () => Promise<string | undefined>
  /** What the daemon's configuration says, at this moment. */
  telemetry: () => TelemetryDefaults
  /** Makes client files follow; never rejects. */
  syncClients: () => Promise<void>
  /** Instances without a workload that are in use all the same. */
  isInUse: (instanceName: string) => boolean
  /** Which installation owns what we create. */
  instanceId: string
  /** How long a server may take to answer its first call. */
  handshakeTimeoutMs: number
  stopGraceMs: number
  shutdown: AbortSignal
}
