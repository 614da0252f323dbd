import type { ChangeEvent, WorkloadEvent } from '@toolhaven/contract/events'
import { Adoptions } from './adopt/adoptions.ts'
import type { BuildsDeps } from './builds/build.ts'
import type { ClientsDeps } from './clients/clients.ts'
import { createClientSync } from './clients/sync.ts'
import { describeError } from './errors.ts'
import { type EventBus, createEventBus } from './event-bus.ts'
import { GroupBook } from './groups/group-book.ts'
import type { GroupsDeps } from './groups/groups.ts'
import { Inspections } from './inspections/inspections.ts'
import type { ExitHistory } from './history/exit-history.ts'
import { recordsOf } from './history/records-of.ts'
import type { ClientFiles } from './ports/clients.ts'
import type { Clock } from './ports/clock.ts'
import type { ForeignEntries, StoredAdoption } from './ports/foreign-entries.ts'
import type { Egress, EgressEvents } from './ports/egress.ts'
import type { FolderWatch, FolderWatchEvents } from './ports/folder-watch.ts'
import type { Gateway, GatewayEvents } from './ports/gateway.ts'
import type { Hiding, HidingEvents } from './ports/hiding.ts'
import type { Host, PackageIndex } from './ports/host.ts'
import type { ImageRegistry } from './ports/image-registry.ts'
import type { ImageVerifier } from './ports/image-verifier.ts'
import type { Logger } from './ports/logger.ts'
import type { RenderRecipe } from './ports/recipes.ts'
import type { RegistrySource } from './ports/registry-source.ts'
import type { Runtime } from './ports/runtime.ts'
import type { SecretsProviders } from './ports/secrets.ts'
import type { OpenTunnel } from './ports/tunnel.ts'
import type {
  ConfigStore,
  Journal,
  LogStore,
  RecordStore,
  StoredExits,
  StoredGroup,
  StoredSightings,
  StoredToolLock,
  StoredWorkload,
} from './ports/stores.ts'
import { Upgrades } from './upgrades/upgrades.ts'
import { type RegistryDeps, findServer } from './registry/registry.ts'
import { type Masker, createMasker } from './secrets/masker.ts'
import { Secrets } from './secrets/secrets.ts'
import type { SettingsDeps } from './settings/settings.ts'
import type { ToolLocks } from './tools/tool-locks.ts'
import { hidingEvents } from './workloads/running/hiding-events.ts'
import { WorkloadBook } from './workloads/running/book.ts'
import { changeLifecycle } from './workloads/operations/lifecycle.ts'
import type { IsolationDeps } from './workloads/operations/isolation.ts'
import type { StatsDeps } from './workloads/operations/stats.ts'
import type { Sightings } from './workloads/running/sightings.ts'
import { SessionInstances } from './workloads/running/session-instances.ts'
import type { SupervisorDeps } from './workloads/running/supervisor-deps.ts'
import { InstallNetworks } from './workloads/running/install-networks.ts'
import { Supervisor } from './workloads/running/supervisor.ts'
import { UsageMeter } from './workloads/running/usage-meter.ts'
import { resync, watch } from './workloads/running/watch.ts'
import type { WorkloadsDeps } from './workloads/workloads-deps.ts'

/** Every port through which the daemon reaches the outside. */
export interface DaemonPorts {
  runtime: Runtime
  createGateway: (events: GatewayEvents) => Gateway
  createEgress: (events: EgressEvents) => Egress
  createHiding: (events: HidingEvents) => Hiding
  createFolderWatch: (events: FolderWatchEvents) => FolderWatch
  workloadStore: RecordStore<StoredWorkload>
  groupStore: RecordStore<StoredGroup>
  sightingsStore: RecordStore<StoredSightings>
  toolLockStore: RecordStore<StoredToolLock>
  exitStore: RecordStore<StoredExits>
  config: ConfigStore
  journal: Journal
  logs: LogStore
  secretsProviders: SecretsProviders
  registrySource: RegistrySource
  clientFiles: ClientFiles
  foreignEntries: ForeignEntries
  adoptionStore: RecordStore<StoredAdoption>
  host: Host
  packages: PackageIndex
  images: ImageVerifier
  imageRegistry: ImageRegistry
  renderRecipe: RenderRecipe
  openTunnel: OpenTunnel
  clock: Clock
  logger: Logger
  readCertificate: (path: string) => Promise<string>
}

export interface DaemonOptions {
  instanceId: string
  handshakeTimeoutMs: number
  stopGraceMs: number
  /** CA certificates for builds and fetches if none are configured. */
  defaultCaCertificatePath?: string
  /** Variables from the environment of the daemon. */
  variable?: (name: string) => string | undefined
  shutdown: AbortSignal
}

export interface Daemon {
  workloads: WorkloadsDeps
  groups: GroupsDeps
  clients: ClientsDeps
  adoptions: Adoptions
  isolation: IsolationDeps
  stats: StatsDeps
  upgrades: Upgrades
  registry: RegistryDeps
  secrets: Secrets
  settings: SettingsDeps
  builds: BuildsDeps
  inspections: Inspections
  events: EventBus
  /** Changes other than the status of a workload. */
  changes: EventBus<ChangeEvent>
  gateway: Gateway
  egress: Egress
  sightings: Sightings
  toolLocks: ToolLocks
  exits: ExitHistory
  hiding: Hiding
  folders: FolderWatch
  supervisor: Supervisor
  sessions: SessionInstances
  /** Reads what is stored. After that, the API may answer. */
  load: () => Promise<void>
  /** Removes orphans and brings every workload to its wanted state. Resolves at shutdown. */
  run: () => Promise<void>
}

/** Wires the parts of the domain to the given ports. Contains no logic. */
export function createDaemon(ports: DaemonPorts, options: DaemonOptions): Daemon {
  const { logger, journal, config, clock, logs, runtime, host, readCertificate } = ports
  const { shutdown, instanceId } = options
  const events = createEventBus<WorkloadEvent>()
  const changes = createEventBus<ChangeEvent>()
  const announce = changes.publish
  const masker = createMasker()
  const book = new WorkloadBook(ports.workloadStore, (event) =>
    events.publish({ ...event, status_context: masker.mask(event.status_context) }),
  )
  const groupBook = new GroupBook(ports.groupStore, announce)
  const secrets = new Secrets({ providers: ports.secretsProviders, config, journal, masker, announce })
  const registry: RegistryDeps = { source: ports.registrySource, config, journal, logger, announce }
  const [held, adopted] = [new Set<string>(), new Set<string>()]
  const syncDeps = { groups: groupBook, book, files: ports.clientFiles, logger, held, adopted }
  const sync = createClientSync(syncDeps)
  const syncClients = async () => void (await sync())
  const { toolLocks, sightings, exits } = recordsOf(ports, { book, masker, announce, shutdown })
  const gateway = ports.createGateway(gatewayEvents(() => supervisor, toolLocks, { book, logs, masker }))
  const installs = new InstallNetworks({ egress: () => egress, logger, logs, instanceId })
  const egress: Egress = ports.createEgress(egressEvents({ book, logs, masker, sightings, installs }))
  const watches = watchesOf(ports, () => supervisor, masker)
  const readSecret = (key: string) => secrets.read(key)
  const caCertificate = () => readCaCertificate(ports, options)
  const { openTunnel, packages, images, renderRecipe } = ports
  const inspections = new Inspections({ book, runtime, host, openTunnel, caCertificate, instanceId, installs })
  const sessions = new SessionInstances({ book, runtime, host, logger, instanceId, stopGraceMs: options.stopGraceMs })
  const supervisorDeps: SupervisorDeps = {
    ...{ book, runtime, gateway, egress, ...watches, packages, images, logs, masker, sessions, clock, logger },
    deleteSecret: (key) => secrets.delete(key),
    ...{ installs, toolLocks, exits, readSecret, caCertificate, syncClients, shutdown, host, readCertificate },
    telemetry: () => ({ ...config.get().otel, variable: options.variable ?? (() => undefined) }),
    isInUse: (name) => inspections.owns(name) || sessions.owns(name),
    ...{ sightings, instanceId, handshakeTimeoutMs: options.handshakeTimeoutMs, stopGraceMs: options.stopGraceMs },
  }
  const supervisor = new Supervisor(supervisorDeps)
  const workloads: WorkloadsDeps = {
    ...{ book, runtime, host, gateway, clock, journal, logs, masker, syncClients, sightings, toolLocks, exits },
    ...{ readCertificate, ...answersFor(supervisor, groupBook, secrets) },
    findServer: (name) => findServer(registry, name, shutdown),
    config: () => config.get(),
  }
  const { foreignEntries: entries, adoptionStore: store } = ports
  const adoptions = new Adoptions({ entries, store, workloads, secrets, events, journal, held, adopted, shutdown })
  const upgrades = new Upgrades({ workloads, packages, imageRegistry: ports.imageRegistry, events, shutdown })
  const deleteWorkload = (name: string) => changeLifecycle(workloads, name, 'delete')
  return {
    ...{ workloads, adoptions, upgrades },
    groups: { groups: groupBook, book, journal, deleteWorkload, syncClients },
    isolation: { book, runtime, sessions },
    stats: { ...workloads, gateway, sessions, meter: new UsageMeter({ runtime, clock }) },
    clients: { ...syncDeps, sync, journal, adoptions: store },
    ...{ registry, secrets, inspections },
    settings: { config, journal, readCertificate, announce },
    builds: { runtime, packages, renderRecipe, caCertificate, installs },
    ...{ events, changes, gateway, egress, ...watches, sightings, toolLocks, exits, supervisor, sessions },
    load: () => load([book, groupBook, adoptions, sightings, exits], toolLocks),
    run: () => run(supervisorDeps, supervisor, upgrades),
  }
}

/** The tools come last, because the status must exist before it can report what differs. */
async function load(first: readonly { load: () => Promise<void> }[], toolLocks: ToolLocks): Promise<void> {
  await Promise.all(first.map((each) => each.load()))
  await toolLocks.load()
}

/** The supervisor is made after the gateway, which it needs. */
function gatewayEvents(
  supervisor: () => Supervisor,
  toolLocks: ToolLocks,
  { book, logs, masker }: Pick<SupervisorDeps, 'book' | 'logs' | 'masker'>,
): GatewayEvents {
  return {
    onDefinitions: (name, part, seen) => {
      const entry = book.find(name)
      // A last list from a removed workload must not leave a record behind.
      if (entry && entry.stored.wanted !== 'absent') toolLocks.seen(name, part, seen, entry.stored.config.tools_changed)
    },
    acceptedHashes: (name, part) => toolLocks.acceptedHashes(name, part),
    onBackendLost: (name, reason) => supervisor().backendLost(name, reason),
    onOutput: (name, stream, text) => logs.append(name, stream, masker.mask(text)),
    mask: (text) => masker.mask(text),
    onOwnNeeded: (name) => {
      const entry = book.find(name)
      if (!entry || entry.stored.wanted === 'absent') return
      logs.append(
        name,
        'stderr',
        'This server sends requests to its clients or keeps tasks for them, so each client now gets its own server.',
      )
      // If this cannot be stored, the next request of the server triggers it again.
      book.change(name, (current) => ({ ...current, needsOwnServers: true })).catch(() => undefined)
    },
    onLoginNeeded: (name, needed) => supervisor().loginNeeded(name, needed),
    onLoggedIn: (name) => supervisor().loggedIn(name),
  }
}

function egressEvents({
  book,
  logs,
  masker,
  sightings,
  installs,
}: Pick<SupervisorDeps, 'book' | 'logs' | 'masker' | 'sightings' | 'installs'>): EgressEvents {
  return {
    onBlocked: (name, reason) => {
      // `onSeen` reports what an install was refused.
      if (InstallNetworks.isInstall(name)) return
      logs.append(name, 'stderr', masker.mask(reason))
      if (book.find(name)) book.observe(name, { blocked: reason })
    },
    onSeen: (name, sighting) => {
      if (InstallNetworks.isInstall(name)) return installs.seen(name, sighting)
      const entry = book.find(name)
      // The last connections of a removed workload must not leave a record behind.
      if (entry && entry.stored.wanted !== 'absent') sightings.add(name, sighting)
    },
  }
}

/** Watches the user's folders for changes. */
function watchesOf(ports: DaemonPorts, supervisor: () => Supervisor, masker: Masker) {
  return {
    hiding: ports.createHiding(hidingEvents(supervisor, { logs: ports.logs, masker })),
    folders: ports.createFolderWatch({ onChanged: (name, path) => void supervisor().folderChanged(name, path) }),
  }
}

/** What workloads need from other parts of the domain. */
function answersFor(supervisor: Supervisor, groups: GroupBook, secrets: Secrets) {
  return {
    poke: (name: string) => supervisor.poke(name),
    groupExists: (name: string) => groups.has(name),
    secretExists: (key: string) => secrets.has(key),
    missingSecrets: (keys: readonly string[]) => secrets.missing(keys),
    storeSecret: (key: string, value: string) => secrets.store(key, value),
    checkSecret: (key: string, value: string) => secrets.check(key, value),
  }
}

async function readCaCertificate(ports: DaemonPorts, options: DaemonOptions): Promise<string | undefined> {
  const path = ports.config.get().caCertificatePath ?? options.defaultCaCertificatePath
  return path === undefined ? undefined : ports.readCertificate(path)
}

async function run(deps: SupervisorDeps, supervisor: Supervisor, upgrades: Upgrades): Promise<void> {
  await resync(deps, supervisor).catch((error: unknown) =>
    deps.logger.warn('the runtime could not be listed', { reason: describeError(error) }),
  )
  upgrades.resume()
  supervisor.pokeAll()
  await watch(deps, supervisor)
}
