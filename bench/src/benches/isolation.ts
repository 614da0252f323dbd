import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { type Socket, connect, createServer } from 'node:net'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { fileURLToPath } from 'node:url'
import type { ApiClient } from '@toolhaven/contract/client'
import { startDocker } from '@toolhaven/testing/testbed/docker'
import { buildServerImage } from '@toolhaven/testing/testbed/server-image'
import { type Bench, type Figure, lessIsBetter } from '../figure.ts'
import { measureAll } from '../gateway/measure.ts'
import { openStreamable } from '../gateway/sessions.ts'
import { FIXTURE_IMAGE } from '../rig/fixture.ts'
import { type Home, makeHome, startDaemon } from '../rig/home.ts'
import { openHttp } from '../rig/mcp-http.ts'
import { cpuMs, settledTreeMb } from '../rig/proc.ts'
import type { Rig } from '../rig/rig.ts'
import { type ServerProcess, freePort, startServer } from '../rig/server-process.ts'
import { inTurns, of, summarise } from '../rig/statistics.ts'
import { apiOf, remove, untilAllRun } from '../rig/workloads.ts'

const ROUNDS = 7
const SPLICE = fileURLToPath(new URL('../rig/splice.mjs', import.meta.url))

/** The default, and the alternative without it. */
const ISOLATED = {}
const HOST = { network_mode: 'host' }

/** What isolation costs a workload. */
export const isolation: Bench = {
  name: 'isolation',
  title: 'a workload with a network of its own, the default, against the same one on the network of the machine',
  run: async (rig) => [...(await inSandbox(rig)), ...(await onDocker(rig))],
}

async function inSandbox(rig: Rig): Promise<Figure[]> {
  await using home = await rig.processHome()
  await using daemon = await startDaemon(home)
  const starts = await compareStarts('bubblewrap', apiOf(daemon), rig.fixture.image)
  return [...starts, ...(await egress(home, daemon, rig.fixture.image)), await memory(rig)]
}

const MANY = 8

/** For the daemon and everything that it runs. */
async function memory(rig: Rig): Promise<Figure> {
  const withMany = async (change: object) => {
    await using home = await rig.processHome()
    await using daemon = await startDaemon(home)
    const api = apiOf(daemon)
    for (let at = 0; at < MANY; at++)
      await api.call('createWorkload', { body: { name: `many-${at}`, image: rig.fixture.image, ...change } })
    await untilAllRun(api, MANY)
    return await settledTreeMb(daemon.pid)
  }
  const plain = await withMany(HOST)
  const all = await withMany(ISOLATED)
  return lessIsBetter({
    name: 'bubblewrap: memory of a workload and its share of the daemon, more than without isolation',
    unit: 'MB',
    ours: (all - plain) / MANY,
    baseline: plain / MANY,
    target: { of: 'ours', below: 8 },
  })
}

async function onDocker(rig: Rig): Promise<Figure[]> {
  rig.say('starting a private Docker …')
  await using engine = await startDocker()
  await buildServerImage(engine, FIXTURE_IMAGE)
  await using home = await makeHome({ THV_RUNTIME: 'docker', DOCKER_HOST: `unix://${engine.socketPath}` })
  await using daemon = await startDaemon(home)
  const api = apiOf(daemon)
  return [...(await compareStarts('Docker', api, FIXTURE_IMAGE)), await inbound(api, daemon)]
}

async function compareStarts(label: string, api: ApiClient, image: string): Promise<Figure[]> {
  let serial = 0
  const timed = async (change: object) => {
    const name = `start-${serial++}`
    const begun = performance.now()
    const { port } = await api.call('createWorkload', { body: { name, image, ...change } })
    const session = await openHttp(`http://127.0.0.1:${port}/mcp`)
    await session.call({ method: 'tools/list' })
    const took = performance.now() - begun
    await session[Symbol.asyncDispose]()
    await remove(api, name)
    return took
  }
  const contenders = { isolated: () => timed(ISOLATED), plain: () => timed(HOST) }
  await inTurns(1, contenders)
  const rounds = await inTurns(ROUNDS, contenders)
  const name = `${label}: from "create" to the first tools/list`
  return medianAndBest({ name, ours: of(rounds, 'isolated'), baseline: of(rounds, 'plain'), below: 1.4 })
}

interface Compared {
  name: string
  ours: readonly number[]
  baseline: readonly number[]
  below: number
}

/** The best rounds too, because a busy machine changes them least. */
function medianAndBest({ name, ours, baseline, below }: Compared): Figure[] {
  const target = { of: 'ratio', below } as const
  const [mine, theirs] = [summarise(ours), summarise(baseline)]
  return [
    lessIsBetter({ name, unit: 'ms', ours: mine.p50, baseline: theirs.p50, target }),
    lessIsBetter({ name: `${name}, best`, unit: 'ms', ours: mine.min, baseline: theirs.min, target }),
  ]
}

const HTTP = {
  image: FIXTURE_IMAGE,
  transport: 'streamable-http' as const,
  target_port: 8123,
  cmd_arguments: ['--transport=streamable-http', '--port=8123'],
}

async function inbound(api: ApiClient, daemon: ServerProcess): Promise<Figure> {
  const run = async (name: string, change: object) => {
    const { port } = await api.call('createWorkload', { body: { name, ...HTTP, ...change } })
    return { name, pid: daemon.pid, url: `http://127.0.0.1:${port}/mcp` }
  }
  const contestants = [await run('isolated', ISOLATED), await run('host', HOST)]
  await untilAllRun(api, contestants.length)
  const shape = { bytes: 100, sessions: 1, inFlight: 1 }
  const measured = await measureAll(contestants, shape, openStreamable, { count: ROUNDS, forMs: 700 })
  return lessIsBetter({
    name: 'Docker: p50 of a call of an HTTP server, by its socket against its port on the machine',
    unit: 'ms',
    ours: of(measured, 'isolated').p50,
    baseline: of(measured, 'host').p50,
    target: { of: 'ratio', below: 1 },
  })
}

const BYTES = 100 * 1024 * 1024

/** The daemon's proxy, used as the forwarder uses it. */
async function egress(home: Home, daemon: ServerProcess, image: string): Promise<Figure[]> {
  await using source = await openSource()
  const change = { network_isolation: true, permission_profile: { network: { outbound: outboundTo(source.port) } } }
  await apiOf(daemon).call('createWorkload', { body: { name: 'out', image, ...change } })
  const port = await freePort()
  const args = [SPLICE, String(port), String(source.port)]
  const env = { PATH: process.env['PATH'] ?? '' }
  await using splice = await startServer({ command: process.execPath, args, env, port, path: '/', anyStatus: true })
  const socketPath = await egressSocket(home)
  const rounds = await inTurns(ROUNDS, {
    ours: async () => cpuOf(daemon.pid, await connectOut(socketPath, source.port)),
    splice: async () => cpuOf(splice.pid, await connected(connect(port, '127.0.0.1'))),
  })
  const name = 'egress of 100 MB, processor time against a bare TCP splice in Node'
  return medianAndBest({ name, ours: of(rounds, 'ours'), baseline: of(rounds, 'splice'), below: 1.5 })
}

const outboundTo = (port: number) => ({ allow_host: [`127.0.0.1:${port}`] })

/** Sends 100 MB to a client that says "go". For others it is an HTTP server without interesting content. */
async function openSource() {
  const chunk = Buffer.alloc(1024 * 1024, 'x')
  const server = createServer(async (socket) => {
    socket.on('error', () => {})
    const [first]: Buffer[] = await once(socket, 'data')
    if (first?.toString().startsWith('go') !== true) {
      socket.end('HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n')
      return
    }
    for (let sent = 0; sent < BYTES; sent += chunk.length) if (!socket.write(chunk)) await once(socket, 'drain')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('a TCP listener has a port')
  return { port: address.port, [Symbol.asyncDispose]: async () => void server.close() }
}

async function cpuOf(pid: number, socket: Socket): Promise<number> {
  const before = cpuMs(pid)
  let received = 0
  const { promise, resolve } = Promise.withResolvers<void>()
  socket.on('data', (data: Buffer) => {
    received += data.length
    if (received >= BYTES) resolve()
  })
  socket.write('go')
  await promise
  socket.destroy()
  return cpuMs(pid) - before
}

async function connected(socket: Socket): Promise<Socket> {
  await once(socket, 'connect')
  return socket
}

async function connectOut(socketPath: string, port: number): Promise<Socket> {
  const socket = await connected(connect(socketPath))
  socket.write(`CONNECT 127.0.0.1:${port} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n\r\n`)
  const [head]: Buffer[] = await once(socket, 'data')
  if (head?.toString().includes(' 200 ') !== true) throw new Error(`the proxy said ${head?.toString()}`)
  return socket
}

async function egressSocket(home: Home): Promise<string> {
  const folder = join(home.env['XDG_RUNTIME_DIR'] ?? '', 'toolhaven', 'o')
  const found = await readdir(folder, { recursive: true })
  const name = found.find((each) => each.endsWith('/p'))
  if (name === undefined) throw new Error(`there is no socket in ${folder}: ${found.join(', ')}`)
  return join(folder, name)
}
