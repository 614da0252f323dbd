import type { Hono } from 'hono'
import type { ApiDeps } from '@toolhaven/api/api-deps'
import { type AppOptions, createApp } from '@toolhaven/api/app'
import { buildOpenApi } from '@toolhaven/contract/openapi'
import type { RegistryDocument } from '@toolhaven/contract/registry-document'
import { ConsoleLogins } from '@toolhaven/core/console/console-logins'
import { type Daemon, createDaemon } from '@toolhaven/core/daemon'
import type { Host, PackageIndex } from '@toolhaven/core/ports/host'
import type { StoredAdoption } from '@toolhaven/core/ports/foreign-entries'
import type {
  StoredConsoleLogin,
  StoredExits,
  StoredGroup,
  StoredSightings,
  StoredToolLock,
  StoredWorkload,
} from '@toolhaven/core/ports/stores'
import { FakeEgress } from './fake-egress.ts'
import { FakeFolderWatch } from './fake-folder-watch.ts'
import { FakeHiding } from './fake-hiding.ts'
import { FakeGateway } from './fake-gateway.ts'
import { FakeImageRegistry } from './fake-image-registry.ts'
import { FakeImageVerifier } from './fake-image-verifier.ts'
import { openFakeTunnel } from './fake-tunnel.ts'
import { FakeRuntime } from './fake-runtime.ts'
import { MemoryForeignEntries } from './memory-foreign-entries.ts'
import { ManualClock } from './manual-clock.ts'
import {
  MemoryClientFiles,
  MemoryJournal,
  MemoryLogs,
  MemoryRecordStore,
  fakeHost,
  fakePackages,
  fakeRecipe,
  fixedRegistry,
  memoryConfig,
  memorySecrets,
  silentLogger,
} from './memory-stores.ts'

export const fakeRegistry: RegistryDocument = {
  version: '1.0.0',
  last_updated: '2026-01-01T00:00:00Z',
  servers: {
    everything: {
      description: 'A server with one tool of each kind',
      image: 'npx://everything@1.0.0',
      tier: 'Official',
      status: 'active',
      transport: 'stdio',
      tools: ['echo', 'add'],
      args: ['stdio'],
      env_vars: [{ name: 'LEVEL', description: 'How much it says', required: false, default: 'info' }],
      permissions: { network: { outbound: { allow_host: ['example.com'], allow_port: [443] } } },
    },
    'needs-key': {
      description: 'A server that needs a key',
      image: 'uvx://needs-key@1.0.0',
      tier: 'Community',
      status: 'active',
      transport: 'stdio',
      tools: ['search'],
      env_vars: [
        { name: 'API_KEY', description: 'The key', required: true, secret: true },
        { name: 'REGION', description: 'Where', required: true },
      ],
    },
    signed: {
      description: 'A server whose image somebody signs',
      image: 'registry.example.com/team/signed:1.0',
      tier: 'Official',
      status: 'active',
      transport: 'stdio',
      tools: ['echo'],
      provenance: {
        cert_issuer: 'https://id.example.com',
        repository_uri: 'https://git.example.com/team/signed',
        signer_identity: '/release.yml',
      },
    },
  },
  remote_servers: {
    'com.example/docs': {
      description: 'Documentation far away',
      url: 'https://mcp.example.com/mcp',
      tier: 'Community',
      status: 'active',
      transport: 'streamable-http',
      tools: [],
    },
  },
}

export interface FakeDaemon extends Disposable {
  app: Hono
  socketApp: Hono
  daemon: Daemon
  runtime: FakeRuntime
  gateway: FakeGateway
  egress: FakeEgress
  hiding: FakeHiding
  folders: FakeFolderWatch
  verifier: FakeImageVerifier
  imageRegistry: FakeImageRegistry
  clock: ManualClock
  workloadStore: MemoryRecordStore<StoredWorkload>
  groupStore: MemoryRecordStore<StoredGroup>
  sightingsStore: MemoryRecordStore<StoredSightings>
  toolLockStore: MemoryRecordStore<StoredToolLock>
  exitStore: MemoryRecordStore<StoredExits>
  consoleLoginStore: MemoryRecordStore<StoredConsoleLogin>
  clientFiles: MemoryClientFiles
  foreignEntries: MemoryForeignEntries
  adoptionStore: MemoryRecordStore<StoredAdoption>
  journal: MemoryJournal
  logs: MemoryLogs
  /** Its answers can be changed. */
  host: Host
  /** Its answers can be changed. */
  packages: PackageIndex
}

export interface FakeDaemonParts {
  runtime?: FakeRuntime
  workloadStore?: MemoryRecordStore<StoredWorkload>
  groupStore?: MemoryRecordStore<StoredGroup>
  sightingsStore?: MemoryRecordStore<StoredSightings>
  toolLockStore?: MemoryRecordStore<StoredToolLock>
  exitStore?: MemoryRecordStore<StoredExits>
  registry?: RegistryDocument
  consoleLoginStore?: MemoryRecordStore<StoredConsoleLogin>
  /** Token of the API. Default: everyone who can reach it may use it. */
  token?: string
  /** Names besides loopback that callers may use as the host. */
  allowedHosts?: string[]
  /** Answers requests for the console (default: one page at its root). */
  page?: AppOptions['page']
  /** How servers answer calls from the console (default: with the call itself). */
  relay?: ApiDeps['relay']
  doctor?: ApiDeps['doctor']
}

const openApi = buildOpenApi('0.0.0-test')

/** The real domain and the real API over an engine, a data plane and a disk in memory. */
export async function startFakeDaemon(parts: FakeDaemonParts = {}): Promise<FakeDaemon> {
  const shutdown = new AbortController()
  const runtime = parts.runtime ?? new FakeRuntime()
  const workloadStore = parts.workloadStore ?? new MemoryRecordStore<StoredWorkload>(({ config }) => config.name)
  const groupStore = parts.groupStore ?? new MemoryRecordStore<StoredGroup>(({ name }) => name)
  const sightingsStore = parts.sightingsStore ?? new MemoryRecordStore<StoredSightings>(({ name }) => name)
  const toolLockStore = parts.toolLockStore ?? new MemoryRecordStore<StoredToolLock>(({ name }) => name)
  const exitStore = parts.exitStore ?? new MemoryRecordStore<StoredExits>(({ name }) => name)
  const clientFiles = new MemoryClientFiles()
  const foreignEntries = new MemoryForeignEntries()
  const adoptionStore = new MemoryRecordStore<StoredAdoption>(({ name }) => name)
  const journal = new MemoryJournal()
  const logs = new MemoryLogs()
  const clock = new ManualClock()
  const gateways: FakeGateway[] = []
  const egress = new FakeEgress()
  const hiding = new FakeHiding()
  const folders = new FakeFolderWatch()
  const verifier = new FakeImageVerifier()
  const imageRegistry = new FakeImageRegistry()
  const host = { ...fakeHost }
  const packages = { ...fakePackages }
  const daemon = createDaemon(
    {
      ...{ runtime, workloadStore, groupStore, journal, logs, clientFiles, clock, foreignEntries, adoptionStore },
      sightingsStore,
      toolLockStore,
      exitStore,
      createGateway: (events) => {
        const gateway = new FakeGateway(events)
        gateways.push(gateway)
        return gateway
      },
      createEgress: (events) => {
        egress.events = events
        return egress
      },
      createHiding: (events) => {
        hiding.events = events
        return hiding
      },
      createFolderWatch: (events) => {
        folders.events = events
        return folders
      },
      config: memoryConfig(),
      secretsProviders: memorySecrets(),
      registrySource: fixedRegistry(parts.registry ?? fakeRegistry),
      host,
      packages,
      images: verifier,
      imageRegistry,
      renderRecipe: fakeRecipe,
      openTunnel: openFakeTunnel,
      logger: silentLogger,
      readCertificate: async () => 'PEM',
    },
    { instanceId: 'test', handshakeTimeoutMs: 30_000, stopGraceMs: 1_000, shutdown: shutdown.signal },
  )
  const consoleLoginStore = parts.consoleLoginStore ?? new MemoryRecordStore<StoredConsoleLogin>(({ name }) => name)
  const consoleLogins = new ConsoleLogins({
    store: consoleLoginStore,
    clock,
    ...(parts.token !== undefined && { token: parts.token }),
  })
  await daemon.load()
  await consoleLogins.load()
  void daemon.run()
  const apiDeps: ApiDeps = {
    ...daemon,
    version: '0.0.0-test',
    openApi,
    logger: silentLogger,
    shutdown: shutdown.signal,
    runtimeReport: async () => reportOf(runtime),
    console: { logins: consoleLogins, address: () => 'http://localhost:8080/' },
    relay: parts.relay ?? (async ({ url, method }) => new Response(`${method} ${url}`)),
    doctor: parts.doctor ?? (async () => ({ grade: 'A', machine: { grade: 'A', checks: [] }, workloads: [] })),
  }
  const [gateway] = gateways
  if (!gateway) throw new Error('the daemon made no gateway')
  return {
    ...{
      daemon,
      runtime,
      gateway,
      egress,
      hiding,
      folders,
      verifier,
      imageRegistry,
      host,
      packages,
      clock,
      workloadStore,
      groupStore,
      sightingsStore,
      toolLockStore,
      exitStore,
      consoleLoginStore,
      clientFiles,
      journal,
      logs,
      foreignEntries,
      adoptionStore,
    },
    app: createApp(apiDeps, {
      ...{ overSocket: false, allowedHosts: parts.allowedHosts ?? [], page: parts.page ?? fakePage },
      ...(parts.token !== undefined && { token: parts.token }),
    }),
    socketApp: createApp(apiDeps, { overSocket: true, allowedHosts: [] }),
    [Symbol.dispose]: () => shutdown.abort(),
  }
}

/** The console has only one page. */
async function fakePage(request: Request): Promise<Response | undefined> {
  const isPage = new URL(request.url).pathname === '/' && request.headers.get('accept') === 'text/html'
  return isPage ? new Response('<h1>Toolhaven</h1>', { headers: { 'content-type': 'text/html' } }) : undefined
}

async function reportOf(runtime: FakeRuntime) {
  const health = await runtime.probe()
  if (health.state !== 'healthy')
    return { name: runtime.name, state: health.state, reason: health.reason, notes: [], tried: [] }
  return { name: runtime.name, state: health.state, version: health.version, notes: health.notes, tried: [] }
}
