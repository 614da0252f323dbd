import { join } from 'node:path'
import type { ApiDeps } from '@toolhaven/api/api-deps'
import { type OpenApiDocument, buildOpenApi } from '@toolhaven/contract/openapi'
import type { RuntimeReport } from '@toolhaven/contract/runtime-report'
import { ConsoleLogins } from '@toolhaven/core/console/console-logins'
import { type Daemon, type DaemonOptions, createDaemon } from '@toolhaven/core/daemon'
import type { Hiding, HidingEvents } from '@toolhaven/core/ports/hiding'
import type { Host } from '@toolhaven/core/ports/host'
import type { GatewayEvents } from '@toolhaven/core/ports/gateway'
import type { Logger } from '@toolhaven/core/ports/logger'
import type { RegistrySource } from '@toolhaven/core/ports/registry-source'
import type { Runtime } from '@toolhaven/core/ports/runtime'
import type { ConfigStore, RecordStore, StoredConsoleLogin } from '@toolhaven/core/ports/stores'
import type { OpenTunnel } from '@toolhaven/core/ports/tunnel'
import { createWorkloadGates } from '@toolhaven/egress/workload-gates'
import { createGateway } from '@toolhaven/gateway'
import { waitingLimits } from '@toolhaven/gateway/waiting-limits'
import { createLogins } from '@toolhaven/gateway/logins'
import { openTunnel } from '@toolhaven/gateway/tunnel'
import type { Discovery } from '@toolhaven/runtimes/discover'
import { engineSockets } from '@toolhaven/runtimes/engine/engine-sockets'
import { createPackageIndex } from '@toolhaven/runtimes/package-index/package-index'
import { createImageRegistry } from '@toolhaven/runtimes/signatures/image-registry'
import { createImageVerifier } from '@toolhaven/runtimes/signatures/image-verifier'
import { createForeignEntries } from '@toolhaven/stores/adopt/foreign-entries'
import type { ClientPlatform } from '@toolhaven/stores/clients/catalogue'
import { createClientFiles } from '@toolhaven/stores/clients/client-files'
import { loadInstanceId } from '@toolhaven/stores/files/instance-id'
import { createJournal } from '@toolhaven/stores/files/journal'
import type { ToolhavenPaths } from '@toolhaven/stores/files/paths'
import { createSerialQueue } from '@toolhaven/stores/files/serial-queue'
import type { InstanceLock } from '@toolhaven/stores/files/instance-lock'
import { createFolderWatch } from '@toolhaven/stores/folders/folder-watch'
import { createHiding } from '@toolhaven/stores/hiding/hiding'
import { createOwnAddresses } from '@toolhaven/egress/own-addresses'
import { createHost } from '@toolhaven/stores/host/host'
import { createLoginStore } from '@toolhaven/stores/logins/login-store'
import { createAuditLogs } from '@toolhaven/stores/logs/audit-logs'
import { createLogStore } from '@toolhaven/stores/logs/log-store'
import { builtInDocument } from '@toolhaven/stores/registry/built-in/built-in-document'
import { createRecords } from '@toolhaven/stores/records'
import { REGISTRY_FETCH_LIMITS, createRegistrySource } from '@toolhaven/stores/registry/registry-source'
import { createSecretsProviders } from '@toolhaven/stores/secrets/providers'
import { VERSION } from '../version.ts'
import { chooseRuntime } from './choose-runtime.ts'
import { relay } from './relay.ts'
import { createDaemonDoctor } from './daemon-doctor.ts'
import { identityFetches, lazyFetch, proxyOf } from './lazy-fetch.ts'
import { type PeerCheck, createPeerCheck } from './peer-user.ts'
import { readCertificate } from './read-certificate.ts'
import type { ServeSettings } from './serve-settings.ts'
import { createSessionFiles } from './session-files.ts'
import { stateLoss } from './state-loss.ts'
import { systemClock } from './system-clock.ts'

export interface WireOptions {
  settings: ServeSettings
  paths: ToolhavenPaths
  config: ConfigStore
  logger: Logger
  shutdown: AbortSignal
  lock: InstanceLock
}

const HANDSHAKE_TIMEOUT_MS = 120_000
const STOP_GRACE_MS = 10_000
const SIGNATURE_LIMITS = { maxBytes: 4 * 1024 * 1024, timeoutMs: 10_000 }

/** Ports of Docker's API over TCP, whether in use or not. A program that reaches it controls the machine. */
const ENGINE_PORTS: readonly number[] = [2375, 2376]

type OwnAddresses = ReturnType<typeof createOwnAddresses>

/** Wires configuration → runtime → stores → gateway → core → API. Contains no logic. */
export async function wire({ settings, paths, config, logger, shutdown, lock }: WireOptions) {
  const { env, homeDir, platform, uid, nodePath } = settings
  const { stateDir, dataDir, runtimeDir } = paths
  const { consoleLoginStore, ...records } = createRecords(paths, logger)
  const hasStoredWorkloads = async () =>
    (await records.workloadStore.load()).some(({ handle }) => handle && handle.runtime !== 'process')
  const baseImages = () => config.get().baseImages
  const { runtime, engine, tried, renderRecipe } = await chooseRuntime(
    { settings, paths, logger, baseImages, hasStoredWorkloads },
    shutdown,
  )
  const instanceId = await loadInstanceId({ stateDir, logger })
  const logs = createLogStore({ dir: paths.logsDir, logger })
  const auditLogs = auditLogsOf(stateDir, logger)
  const allowPeer = createPeerCheck(platform, uid)
  const waiting = waitingLimits()
  const isHeld = (port: number) => daemon.workloads.book.isReachedAt(port) || runtime.isOwnPort?.(port) === true
  const { ports, ...ownPlaces } = ownPlacesOf(engine, isHeld)
  const { ownAddresses } = ownPlaces
  const daemon: Daemon = createDaemon(
    {
      runtime,
      createGateway: (events) =>
        createGateway({
          ...{ logger, events, allowPeer, waiting, ownAddresses, openAuditLog: auditLogs.open },
          ...outsideOf({ stateDir, env, logger, events, allowPeer, ownAddresses }),
          sessionStore: createSessionFiles(join(stateDir, 'sessions')),
          allowedHosts: () => config.get().allowedHosts,
        }),
      createEgress: (events) =>
        createWorkloadGates({ folder: join(runtimeDir, 'o'), instanceId, logger, events, ...ownPlaces }),
      createHiding: (events) => hidingOf(settings, paths, events),
      createFolderWatch: (events) => createFolderWatch({ ignoreCase: settings.platform === 'darwin', events }),
      ...records,
      config,
      journal: createJournal({ file: paths.journalFile }),
      logs,
      secretsProviders: createSecretsProviders({ dataDir, env, logger }),
      registrySource: registrySourceOf(dataDir, env, logger, ownAddresses),
      ...clientsOf(settings, stateDir, logger),
      host: {
        ...{ ...hostOf(settings, paths, engine, ownAddresses), apiPorts: ports.apiPorts },
        stateLoss: () => stateLoss(lock, stateDir),
      },
      renderRecipe,
      openTunnel: tunnelsOf(allowPeer, ports.ownPorts),
      packages: createPackageIndex({ nodePath, env, homeDir }),
      ...imagesOf(settings, stateDir, () => config.get().trustedRootPath),
      ...{ clock: systemClock, logger, readCertificate },
    },
    { instanceId, ...optionsOf(env), shutdown },
  )
  const console = consoleOf(settings, consoleLoginStore, ports.apiPorts)
  const apiDeps = apiDepsOf(
    daemon,
    { logger, shutdown, console, runtimeReport: reportOn(runtime, tried, ports.apiPort) },
    env,
  )
  return { daemon, apiDeps, runtime, logs, allowPeer, waiting, ...ports, allowedHosts: config.get().allowedHosts }
}

/**
 * What no workload may reach: these ports of this machine, at these addresses, and the engine's API if it is on another machine.
 */
function ownPlacesOf(engine: Discovery['engine'], isHeld: (port: number) => boolean) {
  const place = engine?.address.kind === 'tcp' ? engine.address : undefined
  const ownPorts = new Set([...ENGINE_PORTS, ...(place ? [place.port] : [])])
  const isOwnPort = (port: number) => ownPorts.has(port) || isHeld(port)
  const apiPort: { problem?: string | undefined } = {}
  const ports = { ownPorts, apiPorts: new Set<number>(), apiPort }
  return { ports, isOwnPort, ownAddresses: createOwnAddresses(), ...(place && { engine: place }) }
}

function hostOf(
  settings: ServeSettings,
  paths: ToolhavenPaths,
  engine: Discovery['engine'],
  ownAddresses: OwnAddresses,
): Host {
  const { homeDir, cwd } = settings
  const { stateDir, dataDir, configDir, cacheDir, runtimeDir } = paths
  const inUse = engine?.address.kind === 'unix' ? [engine.address.path] : []
  return createHost({
    ...{ homeDir, configDir, cwd, ownAddresses },
    ownFolders: [stateDir, dataDir, configDir, cacheDir, runtimeDir],
    engineSockets: async () => [...inUse, ...(await engineSockets(settings))],
  })
}

function auditLogsOf(stateDir: string, logger: Logger) {
  const writeOut = (line: string) => void process.stdout.write(line)
  return createAuditLogs({ dir: join(stateDir, 'audit'), writeOut, logger })
}

/** Both change the same files, so they take turns. */
function clientsOf({ homeDir, platform, nodePath }: ServeSettings, stateDir: string, logger: Logger) {
  const place: ClientPlatform = platform === 'darwin' ? 'darwin' : 'linux'
  const ownCommand = [nodePath, process.argv[1] ?? 'thv']
  const places = { homeDir, platform: place, inTurn: createSerialQueue(), ownCommand }
  return {
    clientFiles: createClientFiles({ ...places, stateDir, logger }),
    foreignEntries: createForeignEntries(places),
  }
}

/** The ports of a tunnel count as the daemon's own until it ends. */
function tunnelsOf(allowPeer: PeerCheck, ownPorts: Set<number>): OpenTunnel {
  return (spec) => {
    for (const port of spec.ports) ownPorts.add(port)
    return openTunnel({ ...spec, allowPeer })
  }
}

function hidingOf({ platform }: ServeSettings, { configDir, dataDir }: ToolhavenPaths, events: HidingEvents): Hiding {
  const places = { globalFile: join(configDir, 'thvignore'), coversDir: join(dataDir, 'covers') }
  return createHiding({ ...places, ignoreCase: platform === 'darwin', events })
}

interface OutsideOptions {
  stateDir: string
  env: ServeSettings['env']
  logger: Logger
  events: GatewayEvents
  allowPeer: PeerCheck
  ownAddresses: OwnAddresses
}

/** How the gateway reaches identity providers, and logs in at remote servers. */
function outsideOf({ stateDir, env, logger, events, allowPeer, ownAddresses }: OutsideOptions) {
  const identityFetch = identityFetches(env, ownAddresses)
  const store = createLoginStore({ stateDir, env, logger })
  const logins = createLogins({ store, fetchFor: identityFetch, events, logger, allowPeer, ownAddresses })
  return { identityFetch, logins }
}

function registrySourceOf(
  dataDir: string,
  env: ServeSettings['env'],
  logger: Logger,
  ownAddresses: OwnAddresses,
): RegistrySource {
  const fetches = {
    public: lazyFetch({ ...REGISTRY_FETCH_LIMITS, allowPrivate: false, ownAddresses }),
    private: lazyFetch({ ...REGISTRY_FETCH_LIMITS, allowPrivate: true, proxy: proxyOf(env) }),
  }
  const fetchFor = (allowPrivate: boolean) => (allowPrivate ? fetches.private : fetches.public)
  return createRegistrySource({ dataDir, logger, clock: systemClock, fetchFor, builtIn: builtInDocument })
}

/** Registries may be anywhere, as for the engine, because the user named them. */
function imagesOf({ env, homeDir }: ServeSettings, stateDir: string, trustedRootPath: () => string | undefined) {
  const access = {
    dockerConfigFolder: env['DOCKER_CONFIG'] ?? join(homeDir, '.docker'),
    fetch: lazyFetch({ ...SIGNATURE_LIMITS, allowPrivate: true, proxy: proxyOf(env) }),
  }
  const images = createImageVerifier({ ...access, cacheDir: stateDir, trustedRootPath, architecture: process.arch })
  return { images, imageRegistry: createImageRegistry(access) }
}

function optionsOf(env: ServeSettings['env']): Omit<DaemonOptions, 'instanceId' | 'shutdown'> {
  return {
    handshakeTimeoutMs: HANDSHAKE_TIMEOUT_MS,
    stopGraceMs: STOP_GRACE_MS,
    variable: (name) => env[name],
    ...(env['NODE_EXTRA_CA_CERTS'] && { defaultCaCertificatePath: env['NODE_EXTRA_CA_CERTS'] }),
  }
}

function consoleOf(
  { host, token }: Pick<ServeSettings, 'host' | 'token'>,
  store: RecordStore<StoredConsoleLogin>,
  apiPorts: ReadonlySet<number>,
): ApiDeps['console'] {
  const name = host === '0.0.0.0' || host === '::' ? 'localhost' : host
  return {
    logins: new ConsoleLogins({ store, clock: systemClock, ...(token !== undefined && { token }) }),
    address: () => {
      const [port] = apiPorts
      return port === undefined ? undefined : `http://${name.includes(':') ? `[${name}]` : name}:${port}/`
    },
  }
}

function reportOn(
  runtime: Runtime,
  tried: RuntimeReport['tried'],
  apiPort: Readonly<{ problem?: string | undefined }>,
) {
  return async (signal: AbortSignal): Promise<RuntimeReport> => {
    const health = await runtime.probe(signal)
    const { problem } = apiPort
    const common = {
      ...{ name: runtime.name, state: health.state, tried: [...tried] },
      ...(problem !== undefined && { api_port_problem: problem }),
    }
    if (health.state !== 'healthy') return { ...common, reason: health.reason, notes: [] }
    return { ...common, version: health.version, sandbox: health.capabilities.sandbox, notes: health.notes }
  }
}

function apiDepsOf(
  daemon: Daemon,
  rest: Pick<ApiDeps, 'logger' | 'shutdown' | 'runtimeReport' | 'console'>,
  env: ServeSettings['env'],
): ApiDeps {
  let openApi: OpenApiDocument | undefined
  const deps: ApiDeps = {
    ...daemon,
    ...rest,
    version: VERSION,
    // Created on first use, so that the start does not wait for it.
    get openApi() {
      return (openApi ??= buildOpenApi(VERSION))
    },
    doctor: createDaemonDoctor(() => deps, env),
    relay,
  }
  return deps
}
