import type { Confinement } from '@toolhaven/contract/isolation'
import { notFound, unavailable } from '@toolhaven/core/errors'
import type {
  InstanceHandle,
  InstanceSpec,
  InstanceState,
  ListedInstance,
  LogChunk,
  PrepareOptions,
  Prepared,
  Runtime,
  RuntimeCapabilities,
  RuntimeEvent,
  RuntimeHealth,
  Source,
  StdioChannel,
  Usage,
} from '@toolhaven/core/ports/runtime'

interface Instance {
  handle: InstanceHandle
  spec: InstanceSpec
  state: InstanceState
}

/** An engine in memory whose behaviour a test sets: down, slow, crashing, out of images. */
export class FakeRuntime implements Runtime {
  readonly name = 'docker'
  readonly instances = new Map<string, Instance>()
  readonly calls: string[] = []
  isDown = false
  unenforced: RuntimeCapabilities['unenforced'] = {}
  /** Sources that do not exist. */
  readonly missing = new Set<string>()
  /** Image references that are there without a pull, and their digests if a registry has them. */
  readonly local = new Map<string, string | undefined>()
  readonly pulls: string[] = []
  /** What each running instance uses. */
  used: Usage = { memoryBytes: 64 * 2 ** 20, pids: 11 }
  /** Called inside `prepare`, to hold a start at that point. */
  whilePreparing: (signal: AbortSignal) => Promise<void> = async () => {}
  /** Called inside `create`, after a leftover of the same name was removed. */
  whileCreating: () => Promise<void> = async () => {}
  /** Called inside `start`. */
  whileStarting: (signal: AbortSignal) => Promise<void> = async () => {}
  /** Called inside `stop`. */
  whileStopping: () => Promise<void> = async () => {}
  #sequence = 0
  readonly #queues = new Set<{ push: (event: RuntimeEvent) => void; fail: (error: Error) => void }>()

  async probe(): Promise<RuntimeHealth> {
    if (this.isDown) return { state: 'unhealthy', reason: 'the engine does not answer' }
    const capabilities = { images: true, survivesDaemon: true, unenforced: this.unenforced, sandbox: 'fake' }
    return { state: 'healthy', version: '1', capabilities, notes: [] }
  }

  async prepare(source: Source, options: PrepareOptions, signal: AbortSignal): Promise<Prepared> {
    this.#check('prepare')
    const text = textOf(source)
    const local = this.local.has(text) ? localImage(text, this.local.get(text)) : undefined
    if (local && options.pull !== 'always') return local
    if (options.pull === 'never') throw notFound(`image ${text} is not here`)
    this.pulls.push(text)
    options.onProgress({ phase: 'pulling', done: 43, total: 100, detail: text })
    await this.whilePreparing(signal)
    signal.throwIfAborted()
    if (this.missing.has(text)) throw notFound(`image ${text} not found; check its name`)
    return { id: text, digest: text.split('@')[1] ?? 'sha256:0' }
  }

  tag?: NonNullable<Runtime['tag']> = async (prepared: Prepared, reference: string) => {
    this.#check(`tag ${prepared.id} ${reference}`)
  }

  async create(spec: InstanceSpec): Promise<InstanceHandle> {
    this.#check(`create ${spec.name}`)
    const leftover = this.instances.get(spec.name)
    if (leftover) {
      this.instances.delete(spec.name)
      const {
        handle,
        spec: { labels },
      } = leftover
      for (const queue of this.#queues) queue.push({ kind: 'removed', handle, labels })
    }
    await this.whileCreating()
    const handle: InstanceHandle = { runtime: 'docker', id: `id-${(this.#sequence += 1)}`, name: spec.name }
    this.instances.set(spec.name, { handle, spec, state: { state: 'created' } })
    return handle
  }

  async attach(handle: InstanceHandle): Promise<StdioChannel> {
    this.#check('attach')
    this.#find(handle)
    return {
      onStdout: () => {},
      onStderr: () => {},
      onClose: () => {},
      write: async () => {},
      pause: () => {},
      resume: () => {},
      close: () => {},
    }
  }

  async start(handle: InstanceHandle, signal: AbortSignal): Promise<void> {
    this.#check(`start ${handle.name}`)
    await this.whileStarting(signal)
    const instance = this.#find(handle)
    const address = instance.spec.targetPort === undefined ? {} : { address: { host: '127.0.0.1', port: 9 } }
    instance.state = { state: 'running', startedAt: '2026-01-01T00:00:00Z', ...address }
  }

  async inspect(handle: InstanceHandle): Promise<InstanceState> {
    this.#check('inspect')
    const instance = this.instances.get(handle.name)
    return instance?.handle.id === handle.id ? instance.state : { state: 'absent' }
  }

  async confinement(handle: InstanceHandle): Promise<Confinement | undefined> {
    const instance = this.instances.get(handle.name)
    if (instance?.handle.id !== handle.id || instance.state.state !== 'running') return undefined
    const mounts = instance.spec.mounts.map((mount) => ({
      source: mount.hostPath,
      target: mount.containerPath,
      read_only: mount.readOnly,
    }))
    return {
      ...{ seen_by: 'engine', user: '1000', capabilities: [], privileged: false, no_new_privileges: true, mounts },
      ...{
        system_call_filter: true,
        own_files: true,
        read_only_root: true,
        network: instance.spec.network === 'host' ? 'host' : 'none',
      },
    }
  }

  async usage(handle: InstanceHandle): Promise<Usage | undefined> {
    this.#check(`usage ${handle.name}`)
    const instance = this.instances.get(handle.name)
    return instance?.handle.id === handle.id && instance.state.state === 'running' ? this.used : undefined
  }

  async stop(handle: InstanceHandle): Promise<void> {
    this.#check(`stop ${handle.name}`)
    await this.whileStopping()
    const instance = this.instances.get(handle.name)
    if (instance?.handle.id !== handle.id || instance.state.state !== 'running') return
    this.#exit(instance, 0)
  }

  async remove(handle: InstanceHandle): Promise<void> {
    this.#check(`remove ${handle.name}`)
    const instance = this.instances.get(handle.name)
    if (instance?.handle.id !== handle.id) return
    this.instances.delete(handle.name)
    const { labels } = instance.spec
    for (const queue of this.#queues) queue.push({ kind: 'removed', handle, labels })
  }

  async *logs(): AsyncIterable<LogChunk> {}

  async list(labels: Readonly<Record<string, string>>): Promise<ListedInstance[]> {
    this.#check('list')
    const matches = [...this.instances.values()].filter(({ spec }) =>
      Object.entries(labels).every(([key, value]) => spec.labels[key] === value),
    )
    return matches.map(({ handle, spec, state }) => ({ handle, labels: spec.labels, state: state.state }))
  }

  async find(name: string): Promise<ListedInstance | undefined> {
    this.#check('find')
    const found = this.instances.get(name)
    return found && { handle: found.handle, labels: found.spec.labels, state: found.state.state }
  }

  async *events(signal: AbortSignal): AsyncIterable<RuntimeEvent> {
    this.#check('events')
    const pending: RuntimeEvent[] = []
    let wake = () => {}
    let failure: Error | undefined
    const queue = {
      push: (event: RuntimeEvent) => {
        pending.push(event)
        wake()
      },
      fail: (error: Error) => {
        failure = error
        wake()
      },
    }
    this.#queues.add(queue)
    signal.addEventListener('abort', () => wake(), { once: true })
    while (!signal.aborted) {
      for (let event = pending.shift(); event; event = pending.shift()) yield event
      if (failure) throw failure
      const { promise, resolve } = Promise.withResolvers<void>()
      wake = resolve
      if (pending.length === 0 && !signal.aborted) await promise
    }
    this.#queues.delete(queue)
  }

  /** The server in this instance ends without being asked to. */
  crash(workload: string, exitCode = 1): void {
    const instance = this.instances.get(`thv-${workload}`)
    if (!instance) throw notFound(`no instance of ${workload}`)
    this.#exit(instance, exitCode)
  }

  goDown(): void {
    this.isDown = true
    for (const queue of this.#queues) queue.fail(unavailable('the engine does not answer'))
    this.#queues.clear()
  }

  async [Symbol.asyncDispose](): Promise<void> {}

  /** An engine reports the end, whatever its cause. */
  #exit(instance: Instance, exitCode: number): void {
    instance.state = { state: 'exited', exitCode, finishedAt: '2026-01-01T00:00:00Z', oomKilled: false }
    const { handle, spec } = instance
    for (const queue of this.#queues)
      queue.push({ kind: 'exited', handle, labels: spec.labels, exitCode, oomKilled: false })
  }

  #check(call: string): void {
    this.calls.push(call)
    if (this.isDown) throw unavailable('the engine does not answer')
  }

  #find(handle: InstanceHandle): Instance {
    const instance = this.instances.get(handle.name)
    if (instance?.handle.id !== handle.id) throw notFound(`instance ${handle.name} not found`)
    return instance
  }
}

function textOf(source: Source): string {
  if (source.kind === 'folder') return source.path
  return source.kind === 'image' ? source.reference : `${source.scheme}://${source.name}@${source.version}`
}

function localImage(id: string, digest: string | undefined): Prepared {
  return { id, ...(digest !== undefined && { digest }) }
}
