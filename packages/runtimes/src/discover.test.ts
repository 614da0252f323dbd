import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Runtime } from '@toolhaven/core/ports/runtime'
import { discoverRuntime, type DiscoverOptions } from './discover.ts'
import { testIsolation } from '../test/support/isolation.ts'

let home: string
let servers: Server[]
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'thv-home-'))
  servers = []
})
afterEach(async () => {
  for (const server of servers) server.close()
  await rm(home, { recursive: true })
})

/** Answers what discovery asks, as an engine of that kind does. */
async function listen(kind: 'docker' | 'podman', at: { socket: string } | { port: 0 }): Promise<number> {
  const Components = [{ Name: kind === 'podman' ? 'Podman Engine' : 'Engine' }]
  const server = createServer((request, response) => {
    response.setHeader('content-type', 'application/json')
    response.end(
      JSON.stringify(
        request.url === '/version'
          ? { Version: '9.8.7', Components }
          : { SecurityOptions: ['name=seccomp,profile=default'] },
      ),
    )
  })
  servers.push(server)
  if ('socket' in at) await mkdir(dirname(at.socket), { recursive: true })
  await new Promise<void>((resolve) =>
    'socket' in at ? server.listen(at.socket, resolve) : server.listen(0, '127.0.0.1', resolve),
  )
  const address = server.address()
  return address !== null && typeof address === 'object' ? address.port : 0
}

const sandbox: Runtime = {
  name: 'process',
  probe: () =>
    Promise.resolve({
      state: 'healthy',
      version: '1',
      capabilities: {
        images: false,
        survivesDaemon: false,
        unenforced: {},
        sandbox: 'bubblewrap',
      },
      notes: [],
    }),
  prepare: () => Promise.reject(new Error('not asked')),
  create: () => Promise.reject(new Error('not asked')),
  attach: () => Promise.reject(new Error('not asked')),
  start: () => Promise.reject(new Error('not asked')),
  inspect: () => Promise.reject(new Error('not asked')),
  stop: () => Promise.reject(new Error('not asked')),
  remove: () => Promise.reject(new Error('not asked')),
  logs: () => {
    throw new Error('not asked')
  },
  list: () => Promise.reject(new Error('not asked')),
  find: () => Promise.reject(new Error('not asked')),
  events: () => {
    throw new Error('not asked')
  },
  [Symbol.asyncDispose]: () => Promise.resolve(),
}
const broken: Runtime = {
  ...sandbox,
  probe: () => Promise.resolve({ state: 'undetected', reason: 'no sandbox program' }),
}

function options(env: Record<string, string>, process: Runtime = sandbox): DiscoverOptions {
  return {
    env: { XDG_RUNTIME_DIR: join(home, 'user'), ...env },
    homeDir: home,
    platform: 'linux',
    uid: 4242,
    systemRoot: home,
    createProcessRuntime: () => Promise.resolve(process),
    builds: { baseImages: {}, userConfig: () => Promise.resolve({}), indexKey: () => Promise.resolve([]), proxies: {} },
    isolation: testIsolation(home),
  }
}
const find = (env: Record<string, string>, process?: Runtime) =>
  discoverRuntime(options(env, process), AbortSignal.timeout(20_000))
const won = (tried: { candidate: string }[]) => tried.at(-1)?.candidate

describe('discovery', () => {
  test('takes DOCKER_HOST before a context and a known socket', async () => {
    const port = await listen('docker', { port: 0 })
    await listen('docker', { socket: join(home, '.rd', 'docker.sock') })
    const { runtime, tried } = await find({ DOCKER_HOST: `tcp://127.0.0.1:${port}` })
    expect(runtime.name).toBe('docker')
    expect(tried).toEqual([{ candidate: 'DOCKER_HOST', outcome: 'healthy: docker 9.8.7' }])
  })

  test('goes on when DOCKER_HOST does not answer, and says so', async () => {
    await listen('docker', { socket: join(home, '.rd', 'docker.sock') })
    const { tried } = await find({ DOCKER_HOST: `unix://${home}/nothing.sock` })
    expect(tried[0]).toEqual({ candidate: 'DOCKER_HOST', outcome: 'not there' })
    expect(won(tried)).toContain('.rd')
  })

  test('follows the Docker context in use', async () => {
    const socket = join(home, 'elsewhere.sock')
    await listen('docker', { socket })
    const folder = join(home, '.docker', 'contexts', 'meta', createHash('sha256').update('mine').digest('hex'))
    await mkdir(folder, { recursive: true })
    await writeFile(join(home, '.docker', 'config.json'), JSON.stringify({ currentContext: 'mine' }))
    await writeFile(
      join(folder, 'meta.json'),
      JSON.stringify({ Name: 'mine', Endpoints: { docker: { Host: `unix://${socket}` } } }),
    )
    expect(won((await find({})).tried)).toBe('Docker context mine')
  })

  test('recognises Podman behind any address', async () => {
    const port = await listen('podman', { port: 0 })
    expect((await find({ DOCKER_HOST: `tcp://127.0.0.1:${port}` })).runtime.name).toBe('podman')
  })

  test('does not ask Podman for what it says with each answer', async () => {
    const asked: (string | undefined)[] = []
    const server = createServer(({ url }, response) => {
      asked.push(url)
      response.writeHead(200, { 'libpod-api-version': '9.8.7-dev+abc' }).end('OK')
    })
    servers.push(server)
    await new Promise<void>((resolve) => server.listen(join(home, 'p.sock'), resolve))
    const { tried } = await find({ DOCKER_HOST: `unix://${home}/p.sock` })
    expect(tried).toEqual([{ candidate: 'DOCKER_HOST', outcome: 'healthy: podman 9.8.7-dev' }])
    expect(asked).toEqual(['/_ping'])
  })

  test.each([
    ['.rd/docker.sock', 'docker'],
    ['.colima/default/docker.sock', 'docker'],
    ['.orbstack/run/docker.sock', 'docker'],
    ['.docker/run/docker.sock', 'docker'],
    ['.local/share/containers/podman/machine/podman.sock', 'podman'],
    ['user/podman/podman.sock', 'podman'],
    ['run/podman/podman.sock', 'podman'],
    ['var/run/docker.sock', 'docker'],
  ] as const)('finds %s', async (path, kind) => {
    await listen(kind, { socket: join(home, path) })
    const { runtime, tried } = await find({ THV_RUNTIME: kind })
    expect(runtime.name).toBe(kind)
    expect(won(tried)).toContain(path)
  })

  test('THV_RUNTIME=podman passes Docker by', async () => {
    await listen('docker', { socket: join(home, '.rd', 'docker.sock') })
    await listen('podman', { socket: join(home, 'user', 'podman', 'podman.sock') })
    expect((await find({ THV_RUNTIME: 'podman' })).runtime.name).toBe('podman')
  })

  test('THV_RUNTIME=process asks no engine', async () => {
    await listen('docker', { socket: join(home, '.rd', 'docker.sock') })
    const { runtime, tried } = await find({ THV_RUNTIME: 'process' })
    expect(runtime.name).toBe('process')
    expect(tried).toHaveLength(1)
  })

  test('an asked-for engine that does not work is an error naming it', async () => {
    const port = await listen('docker', { port: 0 })
    const attempt = find({ THV_RUNTIME: 'podman', DOCKER_HOST: `tcp://127.0.0.1:${port}` })
    await expect(attempt).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringMatching(/THV_RUNTIME is podman.*DOCKER_HOST: is Docker/),
    })
  })

  test('an unknown THV_RUNTIME lists what is allowed', async () => {
    await expect(find({ THV_RUNTIME: 'lxc' })).rejects.toMatchObject({
      code: 'invalid',
      message: expect.stringContaining('docker, podman, process'),
    })
  })

  test('a sandbox that does not work is an error saying what to install', async () => {
    await expect(find({ THV_RUNTIME: 'process' }, broken)).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringMatching(/no sandbox program.*Install/),
    })
  })

  test('an ssh address is named as unsupported', async () => {
    await listen('docker', { socket: join(home, '.rd', 'docker.sock') })
    expect((await find({ DOCKER_HOST: 'ssh://me@box' })).tried[0]?.outcome).toContain('ssh')
  })

  test('an engine that stored workloads ran on is waited for instead of running without one', async () => {
    const engine = { kind: 'docker', address: { kind: 'unix', path: join(home, 'gone.sock') } } as const
    const found = await discoverRuntime(
      { ...options({}), remembered: () => Promise.resolve(engine) },
      AbortSignal.timeout(20_000),
    )
    expect(found.runtime.name).toBe('docker')
    expect(found.engine).toEqual(engine)
    const { state } = await found.runtime.probe(AbortSignal.timeout(20_000))
    expect(state).not.toBe('healthy')
  })
})
