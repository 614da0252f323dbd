import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Engine } from '@toolhaven/testing/testbed/engine'
import { engineMust } from '@toolhaven/testing/testbed/engine-http'
import { until } from '@toolhaven/testing/testbed/until'
import { type DaemonProcess, startDaemon } from './daemon-process.ts'
import { watchEvents } from './events.ts'
import { FIXTURE_IMAGE } from './fixture-image.ts'
import { type Gate, makeGate } from './gate.ts'
import type { Home } from './home.ts'
import { containersOf, processesOf } from './instances.ts'
import { type McpConnection, connectMcp } from './mcp-client.ts'
import type { Platform, PlatformKind } from './platform.ts'
import { untilRecovered, untilStatus } from './statuses.ts'
import { TINY_IMAGE, buildTinyImage } from './tiny-image.ts'

export type Phase = 'fetching' | 'starting' | 'created' | 'connecting' | 'running' | 'stopping' | 'removing'

interface PhaseCase {
  phase: Phase
  /** The state that the workload must reach afterwards. */
  after: 'running' | 'stopped' | 'gone'
  on: readonly PlatformKind[]
}

const BOTH: readonly PlatformKind[] = ['docker', 'process']

export const PHASES: readonly PhaseCase[] = [
  { phase: 'fetching', after: 'running', on: BOTH },
  { phase: 'starting', after: 'running', on: BOTH },
  // A sandbox that was created and not started exists only in the daemon's memory.
  { phase: 'created', after: 'running', on: ['docker'] },
  { phase: 'connecting', after: 'running', on: BOTH },
  { phase: 'running', after: 'running', on: BOTH },
  { phase: 'stopping', after: 'stopped', on: BOTH },
  { phase: 'removing', after: 'gone', on: BOTH },
]

/** A daemon in the middle of something, next to a workload `bystander` with a client. */
export interface Scene extends AsyncDisposable {
  home: Home
  daemon: DaemonProcess
  client: McpConnection
  /** Removes what held the daemon in this phase. */
  letThrough: () => Promise<void>
}

export async function enterPhase(platform: Platform, phase: Phase, name: string): Promise<Scene> {
  await using opened = new AsyncDisposableStack()
  const gate = opened.use(await makeGate(platform.packagePort))
  const home = opened.use(
    await platform.makeHome(platform.engine ? {} : { npm_config_registry: `http://127.0.0.1:${gate.port}/` }),
  )
  const daemon = opened.use(await startDaemon(home))
  const client = opened.use(await startBystander(platform, home, daemon))
  await reach({ platform, home, daemon, phase, name, gate })
  const all = opened.move()
  return {
    home,
    daemon,
    client,
    letThrough: async () => {
      gate.open()
      if (phase === 'fetching' && platform.engine) await tagFixture(platform.engine, gate)
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  }
}

async function startBystander({ fixture }: Platform, home: Home, daemon: DaemonProcess): Promise<McpConnection> {
  const { name } = await daemon.api.call('createWorkload', { body: { name: 'bystander', image: fixture } })
  await untilStatus(daemon, name, 'running')
  const { url } = await daemon.api.call('getWorkload', { params: { name } })
  const connection = await connectMcp(url)
  await untilStored(home, name, connection)
  return connection
}

/** Sessions are stored a moment after they begin. A power cut within that moment costs the client its session. */
async function untilStored(home: Home, name: string, { client }: McpConnection): Promise<void> {
  const session = client.transport?.sessionId
  if (session === undefined) throw new Error('the client has no session')
  const file = join(home.stateDir, 'sessions', `${name}.json`)
  const isThere = async () => (await readFile(file, 'utf8').catch(() => '')).includes(session)
  await until('the session to be stored', isThere, 30_000)
}

interface Reach {
  platform: Platform
  home: Home
  daemon: DaemonProcess
  phase: Phase
  name: string
  gate: Gate
}

async function reach({ platform, home, daemon, phase, name, gate }: Reach): Promise<void> {
  const create = (image = platform.fixture) => daemon.api.call('createWorkload', { body: { name, image } })
  switch (phase) {
    case 'fetching':
      gate.hold()
      await create(platform.engine ? stalledImage(gate) : platform.otherFixture)
      return gate.reached
    case 'starting':
    case 'connecting': {
      using events = await watchEvents(daemon)
      await create()
      await events.next(({ workload, progress }) => workload === name && progress?.phase === phase)
      return
    }
    case 'created':
      await create()
      return untilCreated(platform, name)
    case 'running':
      await create()
      return untilStatus(daemon, name, 'running')
    case 'stopping':
    case 'removing':
      await startStubborn({ platform, home, daemon, phase, name, gate })
      await daemon.api.call(phase === 'stopping' ? 'stopWorkload' : 'deleteWorkload', { params: { name } })
      return untilRecovered(daemon, name, phase)
  }
}

/** It ignores the request to end, so that stopping it takes the whole grace period. */
async function startStubborn({ platform: { engine, fixture }, home, daemon, name }: Reach): Promise<void> {
  if (engine) await buildTinyImage(engine)
  const others = await processesOf(home)
  const body = engine ? { name, image: TINY_IMAGE, cmd_arguments: ['--stubborn'] } : { name, image: fixture }
  await daemon.api.call('createWorkload', { body })
  await untilStatus(daemon, name, 'running')
  // The sandbox has no shell that could make a server ignore SIGTERM, so it is frozen instead.
  if (!engine) for (const pid of await processesOf(home)) if (!others.includes(pid)) process.kill(pid, 'SIGSTOP')
}

async function untilCreated({ engine }: Platform, name: string): Promise<void> {
  if (!engine) throw new Error('only an engine shows what was created and not started')
  const look = async () => (await containersOf(engine)).some((container) => container.name === name)
  await until(`the container of ${name} to be there`, look, 60_000)
}

const stalledRepository = ({ port }: Gate) => `127.0.0.1:${port}/thv/fixture`
const stalledImage = (gate: Gate) => `${stalledRepository(gate)}:1`

/** What the stalled registry would have returned. */
async function tagFixture(engine: Engine, gate: Gate): Promise<void> {
  const query = new URLSearchParams({ repo: stalledRepository(gate), tag: '1' })
  await engineMust(engine.socketPath, 'POST', `/images/${FIXTURE_IMAGE}/tag?${query}`)
}
