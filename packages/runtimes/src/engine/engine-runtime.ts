import type { Duplex } from 'node:stream'
import { notFound } from '@toolhaven/core/errors'
import type { Runtime, RuntimeCapabilities, RuntimeHealth, RuntimeName } from '@toolhaven/core/ports/runtime'
import { preparePackage, type PackageBuildOptions } from '../packages/prepare-package.ts'
import { containerConfinement } from './container-confinement.ts'
import { containerLogs } from './container-logs.ts'
import {
  createContainer,
  findContainer,
  listContainers,
  listed,
  observeContainer,
  inspectContainer,
  removeContainer,
  startContainer,
} from './containers.ts'
import type { EngineClient } from './engine-client.ts'
import { engineEvents } from './engine-events.ts'
import { refusal } from './engine-fault.ts'
import { ensureImage, tagImage } from './images.ts'
import { createKeyedQueue } from './keyed-queue.ts'
import { openStdioChannel } from './stdio-channel.ts'
import { stopContainer } from './stop-container.ts'

/** What differs between the engines that speak this API. */
export interface EngineKind {
  name: Extract<RuntimeName, 'docker' | 'podman'>
  /** Throws `unavailable` or says what is wrong when this is not such an engine. */
  examine: (client: EngineClient, signal: AbortSignal) => Promise<EngineFacts>
}

export interface EngineFacts {
  version: string
  capabilities: RuntimeCapabilities
  notes: string[]
  /** Whether the engine has an init to run as process 1. */
  hasInit: boolean
}

export interface EngineRuntimeOptions {
  client: EngineClient
  dockerConfigFolder: string
  builds: PackageBuildOptions
}

const PROBE_MS = 5000

export function createEngineRuntime(kind: EngineKind, options: EngineRuntimeOptions): Runtime {
  const { client } = options
  let hasInit: boolean | undefined
  const oneAtATime = createKeyedQueue()
  const attached = new Set<Duplex>()
  const findInit = async (signal: AbortSignal) => (hasInit ??= (await kind.examine(client, signal)).hasInit)
  return {
    name: kind.name,
    probe: (signal) => probe(kind, client, signal),
    async prepare(source, prepareOptions, signal) {
      if (source.kind === 'image') return ensureImage(options, source.reference, prepareOptions, signal)
      const build = () => preparePackage(options, source, prepareOptions, signal)
      return oneAtATime(`${source.scheme}://${source.name}@${source.version}`, build, signal)
    },
    tag: (prepared, reference, signal) => tagImage(client, prepared.id, reference, signal),
    async create(spec, signal) {
      const init = await findInit(signal)
      // Images we build ourselves are known to run without writing to their root.
      return createContainer(client, kind.name, spec, { init, readOnlyRoot: spec.source.kind === 'package' }, signal)
    },
    async attach(handle, signal) {
      const container = await inspectContainer(client, handle.id, signal)
      if (container === undefined) throw notFound(`${handle.name} is not on ${client.label} any more.`)
      const path = `/containers/${encodeURIComponent(handle.id)}/attach`
      const query = { stream: true, stdin: container.Config.OpenStdin ?? false, stdout: true, stderr: true }
      try {
        const { socket, head } = await client.upgrade({ method: 'POST', path, query }, signal)
        attached.add(socket)
        socket.once('close', () => attached.delete(socket))
        return openStdioChannel(socket, head)
      } catch (error) {
        throw refusal(`attach to ${handle.name}`, error)
      }
    },
    start: (handle, signal) => startContainer(client, handle, signal),
    confinement: (handle, signal) => containerConfinement(client, handle.id, signal),
    inspect: (handle, signal) => observeContainer(client, handle, signal),
    stop: (handle, graceMs, signal) => stopContainer(client, handle, graceMs, signal),
    remove: (handle, signal) => removeContainer(client, handle.id, signal),
    logs: (handle, logOptions, signal) => containerLogs(client, handle, logOptions, signal),
    list: (labels, signal) => listContainers(client, kind.name, labels, signal),
    async find(name, signal) {
      const container = await findContainer(client, name, signal)
      return container === undefined ? undefined : listed(kind.name, container)
    },
    events: (signal) => engineEvents(client, kind.name, signal),
    // Nothing is held between calls.
    async [Symbol.asyncDispose]() {
      // Dropped, not ended: the containers go on with their input open, and no connection keeps this process alive.
      for (const socket of attached) socket.destroy()
    },
  }
}

async function probe(kind: EngineKind, client: EngineClient, signal: AbortSignal): Promise<RuntimeHealth> {
  try {
    const { version, capabilities, notes } = await kind.examine(
      client,
      AbortSignal.any([signal, AbortSignal.timeout(PROBE_MS)]),
    )
    return { state: 'healthy', version, capabilities, notes }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return { state: isAbsent(error) ? 'undetected' : 'unhealthy', reason }
  }
}

/** No socket file at all, as against one nobody answers on. */
function isAbsent(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined
  return cause instanceof Error && 'code' in cause && cause.code === 'ENOENT'
}
