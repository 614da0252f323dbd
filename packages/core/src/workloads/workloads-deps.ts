import type { ImageServer, RemoteServer } from '@toolhaven/contract/registry-document'
import type { ExitHistory } from '../history/exit-history.ts'
import type { Clock } from '../ports/clock.ts'
import type { Gateway } from '../ports/gateway.ts'
import type { Host } from '../ports/host.ts'
import type { Runtime } from '../ports/runtime.ts'
import type { DaemonConfig, Journal, LogStore } from '../ports/stores.ts'
import type { Masker } from '../secrets/masker.ts'
import type { ToolLocks } from '../tools/tool-locks.ts'
import type { WorkloadBook } from './running/book.ts'
import type { Sightings } from './running/sightings.ts'

/** The dependencies of the operations on workloads. */
export interface WorkloadsDeps {
  book: WorkloadBook
  /** Reports that something about a workload changed. */
  poke: (name: string) => void
  groupExists: (name: string) => boolean
  /** A server of the registry by its name. */
  findServer: (name: string) => Promise<{ name: string; server: ImageServer | RemoteServer } | undefined>
  /** Throws `not-found` if no provider is set up. */
  secretExists: (key: string) => Promise<boolean>
  /** The error for secrets that do not exist. */
  missingSecrets: (keys: readonly string[]) => Promise<Error>
  storeSecret: (key: string, value: string) => Promise<void>
  /** Throws if `storeSecret` would throw. */
  checkSecret: (key: string, value: string) => Promise<void>
  host: Host
  /** PEM text of a file of certificates. Throws `invalid` if it has none. */
  readCertificate: (path: string) => Promise<string>
  runtime: Pick<Runtime, 'name' | 'probe' | 'prepare'>
  gateway: Pick<Gateway, 'isPortFree' | 'policyFaults' | 'toolsAccepted'>
  clock: Clock
  journal: Journal
  logs: LogStore
  sightings: Sightings
  toolLocks: ToolLocks
  exits: ExitHistory
  masker: Masker
  config: () => DaemonConfig
  syncClients: () => Promise<void>
}
