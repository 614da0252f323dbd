import { randomBytes } from 'node:crypto'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  LABELS,
  type InstanceHandle,
  type InstanceSpec,
  type InstanceState,
  type Prepared,
  type Runtime,
  type RuntimeCapabilities,
  type Source,
  type StdioChannel,
} from '@toolhaven/core/ports/runtime'
import { until } from '../testbed/until.ts'

/** What an adapter's test passes to the suite. */
export interface RuntimeUnderTest extends AsyncDisposable {
  runtime: Runtime
  /** Runs `fixture-program.mjs` with the spec's args after it: an image, or a package (see fixture-package.ts). */
  fixture: Source
  /** A well-formed source of the same kind that does not exist. */
  absent: Source
  /** A second adapter object on the same engine, as a restarted daemon would create. */
  reopen: () => Promise<Runtime>
  /** An adapter whose engine does not answer. Absent for runtimes without an engine. */
  unreachable?: () => Promise<Runtime>
  /** The engine's socket, for looking behind the adapter's back. */
  engineSocket?: string
  /** Tests of the suite that this runtime cannot pass here, each with the reason that is printed when it is skipped. */
  lacks?: Partial<Record<'seccomp' | 'network' | 'hostReachable' | 'forwarding' | 'names', string>>
}

export interface RunResult {
  stdout: string
  stderr: string
  exitCode: number
  oomKilled: boolean
}

export interface Session {
  readonly runtime: Runtime
  readonly under: RuntimeUnderTest
  readonly capabilities: RuntimeCapabilities
  readonly prepared: Prepared
  readonly owner: string
  uniqueName: () => string
  spec: (args: readonly string[], change?: Partial<InstanceSpec>) => InstanceSpec
  create: (args: readonly string[], change?: Partial<InstanceSpec>) => Promise<InstanceHandle>
  /** Created, attached, started. */
  open: (
    args: readonly string[],
    change?: Partial<InstanceSpec>,
  ) => Promise<{ handle: InstanceHandle; pipe: Collected }>
  /** Run to its end, output collected. */
  run: (args: readonly string[], change?: Partial<InstanceSpec>) => Promise<RunResult>
  /** A folder of the host that everybody may write to: the server inside runs as another user. */
  sharedFolder: () => Promise<string>
  /** Undoes all of the above. */
  removeAll: () => Promise<void>
}

/** One behaviour that every runtime must show. `skip` takes the reason why this runtime cannot be tested for it. */
export type RuntimeCase = (session: Session, skip: (reason: string) => never) => Promise<void>
export type RuntimeCases = Readonly<Record<string, RuntimeCase>>

export const signal = (): AbortSignal => AbortSignal.timeout(60_000)

export async function startSession(under: RuntimeUnderTest): Promise<Session> {
  const { runtime } = under
  // On a busy machine the first answer of a fresh engine can take longer than the limit.
  const first = await runtime.probe(signal())
  const health = first.state === 'unhealthy' ? await runtime.probe(signal()) : first
  if (health.state !== 'healthy') throw new Error(`the runtime under test is ${health.state}: ${health.reason}`)
  const prepared = await runtime.prepare(
    under.fixture,
    { pull: 'if-absent', onProgress: () => {} },
    AbortSignal.timeout(300_000),
  )
  const owner = `suite-${randomBytes(4).toString('hex')}`
  const made: InstanceHandle[] = []
  let counter = 0

  const uniqueName = () => `thv-${owner}-${(counter += 1)}`
  const spec: Session['spec'] = (args, change = {}) => {
    const name = change.name ?? uniqueName()
    const labels = { [LABELS.marker]: 'true', [LABELS.name]: name, [LABELS.instance]: owner }
    const base = {
      name,
      labels,
      prepared,
      source: under.fixture,
      args,
      env: {},
      mounts: [],
      network: 'none',
      stdio: true,
      limits: {},
    } as const
    return { ...base, ...change }
  }
  const create: Session['create'] = async (args, change) => {
    const handle = await runtime.create(spec(args, change), signal())
    made.push(handle)
    return handle
  }
  const open: Session['open'] = async (args, change) => {
    const handle = await create(args, change)
    const pipe = collect(await runtime.attach(handle, signal()))
    await runtime.start(handle, signal())
    return { handle, pipe }
  }
  const run: Session['run'] = async (args, change) => {
    const { handle, pipe } = await open(args, change)
    const { exitCode, oomKilled } = await untilExited(runtime, handle)
    await pipe.closed
    await runtime.remove(handle, signal())
    return { stdout: pipe.stdout(), stderr: pipe.stderr(), exitCode, oomKilled }
  }
  const folders: string[] = []
  const sharedFolder = async () => {
    const folder = await mkdtemp(join(tmpdir(), 'thv-suite-'))
    folders.push(folder)
    await chmod(folder, 0o777)
    return folder
  }
  const removeAll = async () => {
    await Promise.all(made.splice(0).map((handle) => runtime.remove(handle, signal())))
    await Promise.all(folders.splice(0).map((folder) => rm(folder, { recursive: true, force: true })))
  }
  return {
    runtime,
    under,
    capabilities: health.capabilities,
    prepared,
    owner,
    uniqueName,
    spec,
    create,
    open,
    run,
    sharedFolder,
    removeAll,
  }
}

export interface Collected {
  channel: StdioChannel
  stdout: () => string
  stderr: () => string
  stdoutBytes: () => number
  closed: Promise<void>
}

export function collect(channel: StdioChannel): Collected {
  const out: Uint8Array[] = []
  const err: Uint8Array[] = []
  channel.onStdout = (chunk) => out.push(Uint8Array.from(chunk))
  channel.onStderr = (chunk) => err.push(Uint8Array.from(chunk))
  const { promise, resolve } = Promise.withResolvers<void>()
  channel.onClose = () => resolve()
  return {
    channel,
    stdout: () => Buffer.concat(out).toString(),
    stderr: () => Buffer.concat(err).toString(),
    stdoutBytes: () => out.reduce((sum, chunk) => sum + chunk.length, 0),
    closed: promise,
  }
}

export function untilExited(
  runtime: Runtime,
  handle: InstanceHandle,
): Promise<Extract<InstanceState, { state: 'exited' }>> {
  return until(`${handle.name} exits`, async () => {
    const state = await runtime.inspect(handle, signal())
    if (state.state === 'absent') throw new Error(`${handle.name} vanished instead of exiting`)
    return state.state === 'exited' ? state : false
  })
}

export function untilSaid(pipe: Collected, text: string): Promise<true> {
  return until(`the fixture says "${text}"`, () => (pipe.stdout().includes(text) ? true : undefined))
}
