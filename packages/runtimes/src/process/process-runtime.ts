import { randomBytes } from 'node:crypto'
import { readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { conflict, notFound, unavailable } from '@toolhaven/core/errors'
import type { Logger } from '@toolhaven/core/ports/logger'
import { LABELS } from '@toolhaven/core/ports/runtime'
import type {
  InstanceHandle,
  InstanceSpec,
  ListedInstance,
  Runtime,
  RuntimeCapabilities,
  RuntimeEvent,
  RuntimeHealth,
} from '@toolhaven/core/ports/runtime'
import { Broadcast } from './broadcast.ts'
import { findControlGroups } from './control-group.ts'
import type { ControlGroups } from './control-group.ts'
import { Instance, refuseOtherOwner } from './instance.ts'
import { readPackageManifest } from './package-manifest.ts'
import { preparePackage } from './prepare-package.ts'
import { detectSandbox } from './sandbox.ts'
import type { Sandbox } from './sandbox.ts'
import { planServer } from './server-plan.ts'

export interface ProcessRuntimeOptions {
  /** Fetched packages and the sandbox's own files go below it. */
  dataDir: string
  /** The Node that runs servers from npm. */
  nodePath: string
  env: Readonly<Record<string, string | undefined>>
  homeDir: string
  /** Without any sandbox, run servers with all rights of the daemon instead of refusing. */
  allowUnsandboxed: boolean
  logger: Logger
}

/** Runs package servers as sandboxed children of this process: no container engine needed, and they end with it. */
export function createProcessRuntime(options: ProcessRuntimeOptions): Runtime {
  const instances = new Map<string, Instance>()
  const events = new Broadcast<RuntimeEvent>()
  const machine = rememberSuccess((signal) => lookAtMachine(options, signal))

  const known = (handle: InstanceHandle) => {
    const instance = instances.get(handle.name)
    return instance?.parts.handle.id === handle.id ? instance : undefined
  }
  const present = (handle: InstanceHandle) => {
    const instance = known(handle)
    if (instance === undefined)
      throw notFound(`The instance ${handle.name} is not there; it ended with the daemon that started it.`)
    return instance
  }
  const remove = async (instance: Instance) => {
    const { handle, spec } = instance.parts
    await instance.kill()
    if (known(handle) === instance) {
      instances.delete(handle.name)
      events.send({ kind: 'removed', handle, labels: spec.labels })
    }
    await instance.parts.onRemoved()
  }

  return {
    name: 'process',
    probe: (signal) => probe(machine, signal),
    prepare: async (source, prepareOptions, signal) => {
      signal.throwIfAborted()
      const { sandbox } = await machine(signal)
      return await preparePackage({ ...options, sandbox }, source, prepareOptions, signal)
    },
    create: async (spec, signal) => {
      signal.throwIfAborted()
      const leftover = instances.get(spec.name)
      if (leftover !== undefined) {
        if (leftover.parts.spec.labels[LABELS.instance] !== spec.labels[LABELS.instance]) refuseOtherOwner(spec.name)
        await remove(leftover)
      }
      const instance = await makeInstance(options, await machine(signal), spec, events)
      instances.set(spec.name, instance)
      return instance.parts.handle
    },
    attach: async (handle) => present(handle).attach(),
    start: async (handle, signal) => {
      const instance = present(handle)
      const { targetPort } = instance.parts.spec
      if (targetPort !== undefined && instance.state.state !== 'running') await refuseTakenPort(targetPort)
      await instance.start(signal)
      options.logger.debug('server process started', { instance: handle.name })
    },
    inspect: async (handle) => known(handle)?.state ?? { state: 'absent' },
    stop: async (handle, graceMs, signal) => await known(handle)?.stop(graceMs, signal),
    remove: async (handle) => {
      const instance = known(handle)
      if (instance !== undefined) await remove(instance)
    },
    async *logs(handle, logOptions, signal) {
      yield* present(handle).output.read(logOptions, signal)
    },
    list: async (labels) =>
      [...instances.values()]
        .map(listed)
        .filter((entry) => Object.entries(labels).every(([key, value]) => entry.labels[key] === value)),
    find: async (name) => {
      const instance = instances.get(name)
      return instance === undefined ? undefined : listed(instance)
    },
    events: (signal) => events.listen(signal),
    [Symbol.asyncDispose]: async () => {
      await Promise.all([...instances.values()].map(remove))
      events.close(unavailable('The process runtime was closed.'))
    },
  }
}

interface Machine {
  sandbox: Sandbox
  controlGroups: ControlGroups
}

async function lookAtMachine(options: ProcessRuntimeOptions, signal: AbortSignal): Promise<Machine> {
  const { platform, arch } = process
  const isRoot = process.getuid?.() === 0
  const sandbox = await detectSandbox({ ...options, platform, arch, isRoot }, signal)
  if ('reason' in sandbox)
    throw unavailable(`Servers cannot be run safely without a container engine here: ${sandbox.reason}`)
  const ownGroups = await readFile('/proc/self/cgroup', 'utf8').catch(() => '')
  return { sandbox, controlGroups: await findControlGroups('/sys/fs/cgroup', ownGroups) }
}

/** What was found stays true; a failure is looked at again, since the user may have installed what was missing. */
function rememberSuccess<T>(look: (signal: AbortSignal) => Promise<T>): (signal: AbortSignal) => Promise<T> {
  let found: T | undefined
  return async (signal) => (found ??= await look(signal))
}

async function probe(machine: (signal: AbortSignal) => Promise<Machine>, signal: AbortSignal): Promise<RuntimeHealth> {
  try {
    const { sandbox, controlGroups } = await machine(signal)
    const capabilities: RuntimeCapabilities = {
      images: false,
      survivesDaemon: false,
      memoryLimit: controlGroups.memory !== undefined,
      cpuLimit: controlGroups.cpu !== undefined,
      pidsLimit: controlGroups.pids !== undefined,
      sandbox: sandbox.description,
    }
    return {
      state: 'healthy',
      version: process.version,
      capabilities,
      notes: [...sandbox.notes, ...controlGroups.reasons],
    }
  } catch (error) {
    return { state: 'undetected', reason: error instanceof Error ? error.message : String(error) }
  }
}

async function makeInstance(
  { dataDir, nodePath, env }: ProcessRuntimeOptions,
  machine: Machine,
  spec: InstanceSpec,
  events: Broadcast<RuntimeEvent>,
): Promise<Instance> {
  const id = randomBytes(16).toString('hex')
  const handle: InstanceHandle = { runtime: 'process', id, name: spec.name }
  const privateDir = join(dataDir, 'sandbox', `home-${id}`)
  const manifest = await readPackageManifest(spec.prepared.id)
  const { sandbox } = machine
  const plan = await planServer({ spec, manifest, sandbox, nodePath, privateDir, machinePath: env['PATH'] })
  const { labels } = spec
  return new Instance({
    ...machine,
    handle,
    spec,
    plan,
    onStarted: () => events.send({ kind: 'started', handle, labels }),
    onExited: (exitCode, oomKilled) => events.send({ kind: 'exited', handle, labels, exitCode, oomKilled }),
    onRemoved: async () => await rm(privateDir, { recursive: true, force: true }),
  })
}

function listed({ parts: { handle, spec }, state: { state } }: Instance): ListedInstance {
  return { handle, labels: spec.labels, state }
}

/** The server shares the machine's network, so somebody else's listener would answer in its place. */
async function refuseTakenPort(port: number): Promise<void> {
  const server = createServer()
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen({ port, host: '127.0.0.1', exclusive: true }, resolve)
    })
  } catch (error) {
    throw conflict(
      `Port ${port} on 127.0.0.1 is taken by another program; stop it or give the server another target port.`,
      error,
    )
  } finally {
    await new Promise((resolve) => server.close(resolve))
  }
}
