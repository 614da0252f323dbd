import type { Duplex } from 'node:stream'
import { invalid } from '@toolhaven/core/errors'
import type {
  InstanceHandle,
  InstanceSpec,
  ListedInstance,
  Prepared,
  PrepareOptions,
  Runtime,
  RuntimeCapabilities,
  RuntimeHealth,
  RuntimeName,
  Source,
} from '@toolhaven/core/ports/runtime'
import { preparePackage, type PackageBuildOptions } from '../packages/prepare-package.ts'
import { attachToInstance } from './attach-to-instance.ts'
import { containerConfinement } from './container-confinement.ts'
import { containerLogs } from './container-logs.ts'
import { createContainer, findContainer, listContainers, listed } from './containers.ts'
import { containerNetwork } from './container-network.ts'
import { createDoorLinks } from './door-links.ts'
import type { EngineClient } from './engine-client.ts'
import { engineEvents } from './engine-events.ts'
import {
  type InstanceDeps,
  inspectInstance,
  instanceEvents,
  removeInstance,
  startInstance,
  stopInstance,
  withoutSidecars,
} from './forwarded-instance.ts'
import type { IsolationPlaces } from '../isolation/isolation-places.ts'
import { type FindForwarderImage, forwarderImageFinder } from './forwarder-image.ts'
import { orFullDisk } from './full-disk.ts'
import { isInVolumes, type Forwarding } from './forwarding.ts'
import { ensureImage, tagImage } from './images.ts'
import { createKeyedQueue } from './keyed-queue.ts'
import { userFiles } from './package-user.ts'
import { openStdioChannel } from './stdio-channel.ts'
import { containerUsage } from '../usage/container-usage.ts'
import { buildSweeper } from '../packages/build-leftovers.ts'
import { removeLostVolumes } from './volumes.ts'

/** What differs between the engines that speak this API. */
export interface EngineKind {
  name: Extract<RuntimeName, 'docker' | 'podman'>
  /** Throws `unavailable` when this is not such an engine, or says what is wrong. */
  examine: (client: EngineClient, signal: AbortSignal) => Promise<EngineFacts>
}

export interface EngineFacts {
  version: string
  capabilities: RuntimeCapabilities
  notes: string[]
  /** Whether the engine has an init to run as process 1. */
  hasInit: boolean
  /** Whether the engine applies its own system call filter to every container. */
  seccomp: boolean
  forwarding: Forwarding
  /** The user of servers from packages. */
  packageUser: string
  /** What containers must not see, although the engine shows it to them. */
  hiddenPaths?: Readonly<Record<string, string>>
}

export interface EngineRuntimeOptions {
  client: EngineClient
  dockerConfigFolder: string
  builds: PackageBuildOptions
  isolation: IsolationPlaces
  /** Replaces what the engine was found to need, for tests of the other forms. */
  forwarding?: Forwarding
}

/**
 * With version 1 it is a folder in memory without a size, which root inside can write to. Nothing in it limits the
 * container.
 */
export const CONTROL_GROUPS = '/sys/fs/cgroup'

const PROBE_MS = 20_000
const VOLUMES_NOTE =
  'The engine shares no folders with the daemon: isolated servers are connected through volumes and a port of 127.0.0.1 with a token (not verified on Docker Desktop), and servers without any network run without our system call filter.'

export function createEngineRuntime(kind: EngineKind, options: EngineRuntimeOptions): Runtime {
  const { client, isolation } = options
  const forwarderImage = forwarderImageFinder(client, isolation.forwarder)
  let facts: KnownFacts | undefined
  const [beingMade, building] = [new Set<string>(), new Set<string>()]
  const oneAtATime = createKeyedQueue()
  const attached = new Set<Duplex>()
  const forced = options.forwarding && { forwarding: options.forwarding }
  const examine = async (signal: AbortSignal) => (facts = { ...(await kind.examine(client, signal)), ...forced })
  const findFacts = async (signal: AbortSignal) => facts ?? examine(signal)
  const instances = instanceDeps(options, findFacts)
  const sweepBuilds = buildSweeper(instances, kind.name)
  return {
    name: kind.name,
    probe: (signal) => probe(examine, options.isolation, signal),
    async prepare(source, prepareOptions, signal) {
      if (source.kind !== 'package')
        return orFullDisk(client, prepareOther(kind.name, options, source, prepareOptions, signal))
      const { hasInit, forwarding, capabilities, packageUser, hiddenPaths } = await findFacts(signal)
      const engine = { hasInit, forwarding, packageUser, hiddenPaths, limitsProcesses: keepsProcessLimit(capabilities) }
      const parts = { ...options, runtime: kind.name, instances, forwarderImage, building, ...engine }
      const build = () => orFullDisk(client, preparePackage(parts, source, prepareOptions, signal))
      return oneAtATime(`${source.scheme}://${source.name}@${source.version}`, build, signal)
    },
    tag: (prepared, reference, signal) => tagImage(client, prepared.id, reference, signal),
    async create(spec, signal) {
      const found = await findFacts(signal)
      beingMade.add(spec.name)
      try {
        return await createInstance(kind, { ...options, forwarderImage }, found, spec, signal)
      } finally {
        beingMade.delete(spec.name)
      }
    },
    async attach(handle, signal) {
      const { socket, head } = await attachToInstance(instances, handle, signal)
      attached.add(socket)
      socket.once('close', () => attached.delete(socket))
      return openStdioChannel(socket, head)
    },
    start: (handle, signal) => startInstance(instances, handle, signal),
    ...looksAt(client),
    inspect: (handle, signal) => inspectInstance(instances, handle, signal),
    stop: (handle, graceMs, signal) => stopInstance(instances, handle, graceMs, signal),
    remove: (handle, signal) => removeInstance(instances, handle, signal),
    logs: (handle, logOptions, signal) => containerLogs(client, handle, logOptions, signal),
    list: async (labels, signal) =>
      listInstances({ client, kind, beingMade, building, sweepBuilds, ...(await findFacts(signal)) }, labels, signal),
    async find(name, signal) {
      const container = await findContainer(client, name, signal)
      return container === undefined ? undefined : listed(kind.name, container)
    },
    isOwnPort: (port) => instances.links.isOpenAt(port),
    events: (signal) => instanceEvents(instances, engineEvents(client, kind.name, signal), signal),
    async [Symbol.asyncDispose]() {
      await instances.links[Symbol.asyncDispose]()
      // Dropped, not ended: the containers continue with their input open, and no connection keeps this process alive.
      for (const socket of attached) socket.destroy()
    },
  }
}

function looksAt(client: EngineClient): Required<Pick<Runtime, 'confinement' | 'usage'>> {
  return {
    confinement: (handle, signal) => containerConfinement(client, handle.id, signal),
    usage: (handle, signal) => containerUsage(client, handle.id, signal),
  }
}

/** Packages of a folder would have to be built into an image, and built again whenever their list changes. */
async function prepareOther(
  engine: string,
  options: EngineRuntimeOptions,
  source: Exclude<Source, { kind: 'package' }>,
  prepareOptions: PrepareOptions,
  signal: AbortSignal,
): Promise<Prepared> {
  if (source.kind === 'image') return ensureImage(options, source.reference, prepareOptions, signal)
  throw invalid(
    `The folder ${source.path} runs in the sandbox only, and this daemon uses ${engine}. Start the daemon with THV_RUNTIME=process (it needs bubblewrap), or publish the server as a package.`,
  )
}

type KnownFacts = Pick<
  EngineFacts,
  'hasInit' | 'seccomp' | 'forwarding' | 'capabilities' | 'packageUser' | 'hiddenPaths'
>

const keepsProcessLimit = ({ unenforced }: RuntimeCapabilities) => unenforced.pids === undefined

async function createInstance(
  { name }: EngineKind,
  options: EngineRuntimeOptions & { forwarderImage: FindForwarderImage },
  found: KnownFacts,
  spec: InstanceSpec,
  signal: AbortSignal,
): Promise<InstanceHandle> {
  const { client, isolation, forwarderImage, forwarding = found.forwarding } = options
  const { hasInit: init, capabilities, packageUser: user, hiddenPaths } = found
  const limitsProcesses = keepsProcessLimit(capabilities)
  // Images that we build ourselves are known to run without writing to their root, and as any user.
  const isOurs = spec.source.kind === 'package'
  const hardening = { init, readOnlyRoot: isOurs, hiddenPaths, ...(isOurs && { user }) }
  const makeNetwork = async () => {
    const deps = { client, isolation, forwarderImage, forwarding, limitsProcesses }
    const network = await containerNetwork(deps, spec, signal)
    const sharesFiles = 'form' in forwarding && forwarding.form === 'folders'
    const files = isOurs && sharesFiles ? await userFiles(isolation.socketDir, user, spec.mounts) : []
    return { ...network, mounts: [...network.mounts, ...files] }
  }
  return createContainer(client, name, spec, { hardening, makeNetwork }, signal)
}

interface ListDeps extends Pick<EngineFacts, 'forwarding'> {
  client: EngineClient
  kind: EngineKind
  beingMade: ReadonlySet<string>
  building: ReadonlySet<string>
  sweepBuilds: ReturnType<typeof buildSweeper>
}

async function listInstances(
  { client, kind, beingMade, building, sweepBuilds, forwarding }: ListDeps,
  labels: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<ListedInstance[]> {
  await sweepBuilds(labels, building, signal)
  const found = await listContainers(client, kind.name, labels, signal)
  if (isInVolumes(forwarding) && beingMade.size === 0) await removeLostVolumes(client, labels, signal)
  const others = found.filter(({ handle }) => !building.has(handle.name))
  return withoutSidecars(others, (name) => beingMade.has(name) || building.has(name))
}

function instanceDeps(
  { client, isolation }: EngineRuntimeOptions,
  findFacts: (signal: AbortSignal) => Promise<Pick<EngineFacts, 'seccomp'>>,
): InstanceDeps {
  const engineFilters = async (signal: AbortSignal) => ((await findFacts(signal)).seccomp ? 1 : 0)
  return { client, socketDir: isolation.socketDir, links: createDoorLinks(), engineFilters, unfiltered: new Set() }
}

async function probe(
  examine: (signal: AbortSignal) => Promise<EngineFacts>,
  isolation: IsolationPlaces,
  signal: AbortSignal,
): Promise<RuntimeHealth> {
  try {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(PROBE_MS)])
    const { version, capabilities, notes: theirs, forwarding } = await examine(limit)
    const notes = [...theirs, ...isolationNotes(forwarding, await isolation.lack())]
    return { state: 'healthy', version, capabilities, notes }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return { state: isAbsent(error) ? 'undetected' : 'unhealthy', reason }
  }
}

function isolationNotes(forwarding: Forwarding, lack: string | undefined): string[] {
  const reason = 'reason' in forwarding ? forwarding.reason : lack
  if (reason !== undefined)
    return [`Servers are refused unless they get the network of the machine (--network host): ${reason}.`]
  return isInVolumes(forwarding) ? [VOLUMES_NOTE] : []
}

/** No socket file at all, unlike a socket where no engine answers. */
function isAbsent(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined
  return cause instanceof Error && 'code' in cause && cause.code === 'ENOENT'
}
