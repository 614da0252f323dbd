import { readdir, stat } from 'node:fs/promises'
import { createServer } from 'node:net'
import { once } from 'node:events'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { runThv, startDaemon } from './src/daemon-process.ts'
import { freePort } from '@toolhaven/testing/free-port'
import { makeHome } from './src/home.ts'
import { containersOf, processesOf, untilNothingIsLeft } from './src/instances.ts'
import { callText, connectMcp } from './src/mcp-client.ts'
import { type Platform, usePlatform } from './src/platform.ts'
import { listNames, untilGone, untilRecovered, untilStatus } from './src/statuses.ts'
import { TINY_IMAGE, buildTinyImage } from './src/tiny-image.ts'
import type { DaemonProcess } from './src/daemon-process.ts'

async function startFixture(daemon: DaemonProcess, { fixture }: Platform, name: string): Promise<string> {
  await daemon.api.call('createWorkload', { body: { name, image: fixture } })
  await untilStatus(daemon, name, 'running')
  return (await daemon.api.call('getWorkload', { params: { name } })).url
}

describe('on docker', () => {
  const platform = usePlatform('docker')
  const idsOf = async ({ engine }: Platform) =>
    (engine ? await containersOf(engine) : []).map(({ id, state }) => `${state} ${id}`)

  test('a second thv serve takes over: the same container, the same client session', async (context) => {
    const here = platform(context)
    await using home = await here.makeHome()
    await using first = await startDaemon(home)
    await using connection = await connectMcp(await startFixture(first, here, 'kept'))
    expect(await callText(connection, 'echo', { text: 'before' })).toBe('before')
    const before = await idsOf(here)
    expect(before).toHaveLength(1)

    await using second = await startDaemon(home)
    expect(second.output()).toContain(`Taking over from the daemon with process id ${first.pid}`)
    expect(await first.ended()).toBe(0)
    await untilStatus(second, 'kept', 'running')
    expect(await idsOf(here)).toEqual(before)
    expect(await callText(connection, 'echo', { text: 'after' })).toBe('after')
    await second.api.call('deleteWorkload', { params: { name: 'kept' } })
    await untilGone(second, 'kept')
    await untilNothingIsLeft(here, home)
  })

  test('SIGTERM leaves containers running; with --stop-workloads-on-exit they stop, and run again with the next daemon', async (context) => {
    const here = platform(context)
    await using home = await here.makeHome()
    await using first = await startDaemon(home)
    const url = await startFixture(first, here, 'stays')
    const before = await idsOf(here)
    expect(await first.stop()).toBe(0)
    expect(await idsOf(here)).toEqual(before)
    expect(before[0]).toMatch(/^running /)

    await using second = await startDaemon(home, ['--stop-workloads-on-exit'])
    await untilStatus(second, 'stays', 'running')
    expect(await idsOf(here)).toEqual(before)
    expect(await second.stop()).toBe(0)
    expect((await idsOf(here)).filter((line) => line.startsWith('running'))).toEqual([])

    await using third = await startDaemon(home)
    await untilRecovered(third, 'stays')
    await using connection = await connectMcp(url)
    expect(await callText(connection, 'add', { a: 1, b: 1 })).toBe('2')
    await third.api.call('deleteWorkload', { params: { name: 'stays' } })
    await untilGone(third, 'stays')
    await untilNothingIsLeft(here, home)
  })

  test('with --stop-workloads-on-exit no workload comes up again while a stubborn one is waited for', async (context) => {
    const here = platform(context)
    if (here.engine) await buildTinyImage(here.engine)
    await using home = await here.makeHome()
    await using first = await startDaemon(home, ['--stop-workloads-on-exit'])
    await startFixture(first, here, 'quick')
    await first.api.call('createWorkload', {
      body: { name: 'stubborn', image: TINY_IMAGE, cmd_arguments: ['--stubborn'] },
    })
    await untilStatus(first, 'stubborn', 'running')
    expect(await first.stop()).toBe(0)
    expect((await idsOf(here)).filter((line) => line.startsWith('running'))).toEqual([])

    await using second = await startDaemon(home)
    await second.api.call('deleteWorkloads', { body: { names: ['quick', 'stubborn'] } })
    await untilGone(second, 'quick', 'stubborn')
    await untilNothingIsLeft(here, home)
  })
})

describe('on process', () => {
  const platform = usePlatform('process')

  test('a restart of the daemon starts servers again, stopped ones stay stopped, and the client goes on in its session', async (context) => {
    const here = platform(context)
    await using home = await here.makeHome()
    await using first = await startDaemon(home)
    await using connection = await connectMcp(await startFixture(first, here, 'again'))
    await startFixture(first, here, 'resting')
    await first.api.call('stopWorkload', { params: { name: 'resting' } })
    await untilStatus(first, 'resting', 'stopped')
    const pid = await callText(connection, 'pid')
    expect(pid).not.toBe('')
    expect(await first.stop()).toBe(0)
    expect(await processesOf(home)).toEqual([])

    await using second = await startDaemon(home)
    await untilStatus(second, 'again', 'running')
    expect(await callText(connection, 'echo', { text: 'still here' })).toBe('still here')
    const { status } = await second.api.call('getWorkloadStatus', { params: { name: 'resting' } })
    expect(status).toBe('stopped')
  })

  test('a daemon that could not listen leaves the one that runs alone', async (context) => {
    await using home = await platform(context).makeHome()
    await using running = await startDaemon(home)
    const holder = createServer().listen(0, '127.0.0.1')
    await once(holder, 'listening')
    const address = holder.address()
    const port = address !== null && typeof address === 'object' ? address.port : 0
    const { code, output } = await runThv(home, ['serve', '--host', '127.0.0.1', '--port', String(port)])
    holder.close()
    expect(output).toContain(`port ${port} is in use`)
    expect(code).toBe(1)
    expect((await fetch(`${running.baseUrl}/health`)).status).toBe(204)

    // The port of the daemon that hands over is not in the way.
    await using next = await startDaemon(home, ['--port', String(running.port)])
    expect(next.port).toBe(running.port)
    expect(await running.ended()).toBe(0)
  })

  test('a lock that a killed daemon left behind is taken over', async (context) => {
    const here = platform(context)
    await using home = await here.makeHome()
    await using first = await startDaemon(home)
    await startFixture(first, here, 'found')
    await first.kill()
    await using second = await startDaemon(home)
    expect(second.output()).not.toContain('Taking over')
    expect(await listNames(second)).toEqual(['found'])
    await untilRecovered(second, 'found')
  })

  test('everything lies where the XDG variables say, readable by nobody else, and nothing in the home folder', async (context) => {
    const here = platform(context)
    await using home = await here.makeHome()
    await using daemon = await startDaemon(home)
    await startFixture(daemon, here, 'tidy')
    await daemon.api.call('setupSecrets', { body: { provider_type: 'encrypted' } })
    await daemon.api.call('createSecret', { body: { key: 'k', value: 'v' } })
    await daemon.api.call('updateSettings', { body: { otel: { 'sampling-rate': 0.5 } } })
    expect(await readdir(join(home.dir, 'home'))).toEqual([])
    const open: string[] = []
    for (const folder of ['state', 'config', 'run', 'data']) {
      const top = await readdir(join(home.dir, folder))
      expect([folder, top]).toEqual([folder, ['toolhaven']])
      for (const path of [join(folder, 'toolhaven'), ...(await below(home.dir, join(folder, 'toolhaven')))]) {
        // Sandboxes see these, and their content is public. The folder that contains them is private.
        if (
          /^(data\/toolhaven\/(packages|sandbox|forwarder)(\/|$)|run\/toolhaven\/i\/[^/]+\.(hosts|resolv)$)/.test(path)
        )
          continue
        const { mode } = await stat(join(home.dir, path))
        if ((mode & 0o077) !== 0) open.push(`${path} ${(mode & 0o777).toString(8)}`)
      }
    }
    expect(open).toEqual([])
  })
})

async function below(root: string, folder: string): Promise<string[]> {
  const entries = await readdir(join(root, folder), { withFileTypes: true })
  const nested = entries.map(async (entry) => {
    const path = join(folder, entry.name)
    return entry.isDirectory() ? [path, ...(await below(root, path))] : entry.isSymbolicLink() ? [] : [path]
  })
  return (await Promise.all(nested)).flat()
}

describe('thv serve refuses', () => {
  test('a taken port, naming it, its holder and the flag', async () => {
    await using home = await makeHome({ env: { THV_RUNTIME: 'process' } })
    const holder = createServer().listen(0, '127.0.0.1')
    await once(holder, 'listening')
    const address = holder.address()
    const port = address !== null && typeof address === 'object' ? address.port : 0
    const { code, output } = await runThv(home, ['serve', '--host', '127.0.0.1', '--port', String(port)])
    holder.close()
    expect(output).toContain(`port ${port} is in use by`)
    expect(output).toContain(`(pid ${process.pid})`)
    expect(output).toContain('--port')
    expect(code).toBe(1)
  })

  test.each([
    { what: 'an unknown flag', args: ['serve', '--prot', '1'], env: {}, code: 2, says: '--prot' },
    { what: 'a port that is none', args: ['serve', '--port', '65536'], env: {}, code: 2, says: '0 to 65535' },
    { what: 'an unknown command', args: ['sevre'], env: {}, code: 2, says: 'sevre' },
    {
      what: 'an unknown THV_RUNTIME',
      args: ['serve', '--port', '0'],
      env: { THV_RUNTIME: 'dokcer' },
      code: 2,
      says: 'docker, podman, process',
    },
    {
      what: 'an engine that is asked for and not there',
      args: ['serve', '--port', '0'],
      env: { THV_RUNTIME: 'docker', DOCKER_HOST: 'unix:///nowhere/docker.sock' },
      code: 4,
      says: 'THV_RUNTIME is docker',
    },
    {
      what: 'an address others can reach, without a token',
      args: ['serve', '--host', '0.0.0.0', '--port', '0'],
      env: {},
      code: 2,
      says: 'THV_API_TOKEN',
    },
    {
      what: 'a short token',
      args: ['serve', '--port', '0'],
      env: { THV_API_TOKEN: 'short' },
      code: 2,
      says: 'at least 16',
    },
  ])('$what', async ({ args, env, code, says }) => {
    await using home = await makeHome({ env })
    const ended = await runThv(home, args)
    expect(ended.output).toContain(says)
    expect(ended.output).not.toContain('    at ')
    expect(ended.code).toBe(code)
  })

  test('nothing when the port it was given is free', async () => {
    await using home = await makeHome({ env: { THV_RUNTIME: 'process' } })
    const port = await freePort()
    await using daemon = await startDaemon(home, ['--port', String(port)])
    expect(daemon.port).toBe(port)
    expect((await fetch(`${daemon.baseUrl}/health`)).status).toBe(204)
  })
})
