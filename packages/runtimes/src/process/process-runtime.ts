import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { Logger } from '@toolhaven/core/ports/logger'
import type { InstanceHandle, InstanceSpec, Runtime } from '@toolhaven/core/ports/runtime'
import { createKeyedQueue } from '../engine/keyed-queue.ts'
import { createIndexKey } from '../package-index/index-key.ts'
import { refuseTakenPort } from '../refuse-taken-port.ts'
import { InstanceTable } from './instance-table.ts'
import { Instance } from './instance.ts'
import { removeLostInstalls } from './lost-installs.ts'
import { machineLook, probeMachine } from './machine.ts'
import { folderContent } from './folder-content.ts'
import type { Machine } from './machine.ts'
import type { IsolationPlaces } from '../isolation/isolation-places.ts'
import { removeLostSocketFolders, removeSocketFolder } from '../isolation/socket-folder.ts'
import { readPackageManifest } from './package-manifest.ts'
import { preparePackage } from './prepare-package.ts'
import { processNetwork } from './process-network.ts'
import { removeTree } from './remove-tree.ts'
import { packageContent } from './server-content.ts'
import { planServer } from './server-plan.ts'

export interface ProcessRuntimeOptions {
  /** Fetched packages and the sandbox's own files are below it. */
  dataDir: string
  /** The Node that runs servers from npm. */
  nodePath: string
  env: Readonly<Record<string, string | undefined>>
  homeDir: string
  /** Without any sandbox, run servers with all rights of the daemon instead of refusing. */
  allowUnsandboxed: boolean
  isolation: IsolationPlaces
  logger: Logger
}

/**
 * Runs package servers as sandboxed children of this process. They need no container engine, and end with this process.
 */
export function createProcessRuntime(options: ProcessRuntimeOptions): Runtime {
  const table = new InstanceTable()
  const machine = machineLook(options)
  const indexKey = createIndexKey(options)
  // If many want the same package, the first fetches it and the others find it.
  const oneAtATime = createKeyedQueue()
  let swept: Promise<void> | undefined
  const sweep = () => (swept ??= removeLost(options))
  return {
    name: 'process',
    probe: (signal) => probeMachine(machine, options.isolation, signal),
    prepare: async (source, prepareOptions, signal) => {
      signal.throwIfAborted()
      const found = await machine(signal)
      await sweep()
      const key = JSON.stringify(source)
      return await oneAtATime(
        key,
        () => preparePackage({ ...options, ...found, indexKey }, source, prepareOptions, signal),
        signal,
      )
    },
    create: async (spec, signal) => {
      signal.throwIfAborted()
      await sweep()
      await table.claim(spec)
      return table.add(await makeInstance(options, await machine(signal), spec, table, signal))
    },
    attach: async (handle) => table.present(handle).attach(),
    start: async (handle, signal) => {
      const instance = table.present(handle)
      const { targetPort, network } = instance.parts.spec
      const sharesPorts = network === 'host' && instance.state.state !== 'running'
      if (targetPort !== undefined && sharesPorts) await refuseTakenPort(targetPort)
      await instance.start(signal)
      options.logger.debug('server process started', { instance: handle.name })
    },
    confinement: async (handle) => table.known(handle)?.confinement(),
    usage: async (handle) => table.known(handle)?.usage(),
    inspect: async (handle) => table.known(handle)?.state ?? { state: 'absent' },
    stop: async (handle, graceMs, signal) => await table.known(handle)?.stop(graceMs, signal),
    remove: async (handle) => {
      const instance = table.known(handle)
      if (instance !== undefined) await table.remove(instance)
    },
    async *logs(handle, logOptions, signal) {
      yield* table.present(handle).output.read(logOptions, signal)
    },
    list: async (labels) => {
      await sweep()
      return table.list(labels)
    },
    find: async (name) => table.find(name),
    events: (signal) => table.events.listen(signal),
    [Symbol.asyncDispose]: () => table.close(),
  }
}

async function removeLost({ dataDir, isolation, logger }: ProcessRuntimeOptions): Promise<void> {
  await removeLostInstalls(dataDir, logger)
  await removeLostSocketFolders(isolation.socketDir, logger)
}

async function contentOf({ source, prepared }: InstanceSpec) {
  if (source.kind === 'folder') return folderContent(source, prepared.id)
  return packageContent(await readPackageManifest(prepared.id), prepared.id)
}

async function makeInstance(
  { dataDir, nodePath, env, isolation }: ProcessRuntimeOptions,
  machine: Machine,
  spec: InstanceSpec,
  { events }: InstanceTable,
  signal: AbortSignal,
): Promise<Instance> {
  const id = randomBytes(16).toString('hex')
  const handle: InstanceHandle = { runtime: 'process', id, name: spec.name }
  const privateDir = join(dataDir, 'sandbox', `home-${id}`)
  const content = await contentOf(spec)
  const { sandbox } = machine
  const network = await processNetwork(isolation, spec, sandbox, signal)
  const places = { nodePath, privateDir, machinePath: env['PATH'] }
  const plan = await planServer({
    spec,
    content,
    sandbox,
    ...places,
    ...(network && { forwarded: network.forwarded }),
  })
  const { labels } = spec
  return new Instance({
    ...machine,
    handle,
    spec,
    plan,
    onStarted: () => events.send({ kind: 'started', handle, labels }),
    onExited: (exitCode, oomKilled) => events.send({ kind: 'exited', handle, labels, exitCode, oomKilled }),
    ...(network && { socketPath: network.place.socketPath }),
    onRemoved: async () => {
      await removeTree(privateDir)
      if (network) await removeSocketFolder(network.place)
    },
  })
}
