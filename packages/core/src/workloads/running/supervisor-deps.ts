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
  /** PEM text of a file of certificates. Throws `invalid` if it has none. */
  readCertificate: (path: string) => Promise<string>
  packages: PackageIndex
  images: ImageVerifier
  logs: LogStore
  /** The networks in which packages are installed. */
  installs: InstallNetworks
  sightings: Sightings
  toolLocks: ToolLocks
  exits: ExitHistory
  masker: Masker
  /** Instances that serve one client session each. */
  sessions: SessionInstances
  clock: Clock
  logger: Logger
  /** Value of a stored secret. Throws `not-found` if it is missing, and `unavailable` if the provider does not answer. */
  readSecret: (key: string) => Promise<string>
  deleteSecret: (key: string) => Promise<void>
  /** PEM text that builds and fetches trust in addition to the system's certificates. */
  caCertificate: () => Promise<string | undefined>
  /** The daemon's present configuration. */
  telemetry: () => TelemetryDefaults
  /** Updates client files. Never rejects. */
  syncClients: () => Promise<void>
  /** Instances that are in use although they have no workload. */
  isInUse: (instanceName: string) => boolean
  /** The installation that owns what we create. */
  instanceId: string
  /** How long a server may take to answer its first call. */
  handshakeTimeoutMs: number
  stopGraceMs: number
  shutdown: AbortSignal
}
