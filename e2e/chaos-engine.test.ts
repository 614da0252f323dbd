import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Engine } from '@toolhaven/testing/testbed/engine'
import { engineMust } from '@toolhaven/testing/testbed/engine-http'
import { until } from '@toolhaven/testing/testbed/until'
import { type DaemonProcess, startDaemon } from './src/daemon-process.ts'
import { containersOf, processesOf, untilNothingIsLeft } from './src/instances.ts'
import { type McpConnection, callText, connectMcp } from './src/mcp-client.ts'
import { type Platform, usePlatform } from './src/platform.ts'
import { listNames, untilGone, untilRecovered, untilStatus } from './src/statuses.ts'

async function start(daemon: DaemonProcess, { fixture }: Platform, name: string): Promise<McpConnection> {
  await daemon.api.call('createWorkload', { body: { name, image: fixture } })
  await untilStatus(daemon, name, 'running')
  const { url } = await daemon.api.call('getWorkload', { params: { name } })
  return connectMcp(url)
}

/** The client's session answers again, from whatever server is behind it now. */
async function untilAnswers(connection: McpConnection): Promise<void> {
  const ask = () =>
    callText(connection, 'add', { a: 2, b: 3 }).then(
      (sum) => sum === '5',
      () => false,
    )
  await until('the client’s session to answer again', ask, 120_000)
}

async function clear(daemon: DaemonProcess): Promise<void> {
  const names = await listNames(daemon)
  await daemon.api.call('deleteWorkloads', { body: { names } })
  await untilGone(daemon, ...names)
}

describe('on docker', () => {
  const platform = usePlatform('docker')
  const engineOf = ({ engine }: Platform): Engine => {
    if (!engine) throw new Error('this platform has an engine')
    return engine
  }

  test.for([
    {
      what: 'docker kill',
      how: async (engine: Engine, id: string) => engineMust(engine.socketPath, 'POST', `/containers/${id}/kill`),
    },
    {
      what: 'docker rm -f',
      how: async (engine: Engine, id: string) =>
        engineMust(engine.socketPath, 'DELETE', `/containers/${id}?force=true`),
    },
    {
      what: 'docker stop',
      how: async (engine: Engine, id: string) => engineMust(engine.socketPath, 'POST', `/containers/${id}/stop?t=1`),
    },
  ])('after $what from outside the server runs again and the client goes on', async ({ how }, context) => {
    const here = platform(context)
    const engine = engineOf(here)
    await using home = await here.makeHome()
    await using daemon = await startDaemon(home)
    await using connection = await start(daemon, here, 'hit')
    const [before] = await containersOf(engine)
    await how(engine, before?.id ?? '')
    await until(
      'another container',
      async () => (await containersOf(engine)).some(({ id, state }) => id !== before?.id && state === 'running'),
      60_000,
    )
    await untilRecovered(daemon, 'hit')
    await untilAnswers(connection)
    expect(await containersOf(engine)).toMatchObject([{ name: 'hit', state: 'running' }])
    await clear(daemon)
    await untilNothingIsLeft(here, home)
  })

  test(
    'while the engine is away workloads are unknown with the reason; when it is back they run, and what was deleted is gone',
    { timeout: 600_000 },
    async (context) => {
      const here = platform(context)
      const engine = engineOf(here)
      await using home = await here.makeHome()
      await using daemon = await startDaemon(home)
      await using connection = await start(daemon, here, 'waits')
      await using _other = await start(daemon, here, 'unwanted')
      await start(daemon, here, 'rests').then((each) => each[Symbol.asyncDispose]())
      await daemon.api.call('stopWorkload', { params: { name: 'rests' } })
      await untilStatus(daemon, 'rests', 'stopped')

      await engine.kill()
      await daemon.api.call('deleteWorkload', { params: { name: 'unwanted' } })
      await untilRecovered(daemon, 'waits', 'unknown')
      const { status_context: reason } = await daemon.api.call('getWorkload', { params: { name: 'waits' } })
      expect(reason).toMatch(/Docker/)
      expect((await daemon.api.call('getRuntime', {})).state).not.toBe('healthy')
      expect(await listNames(daemon)).toEqual(['rests', 'unwanted', 'waits'])
      // Created while nothing can start: it is kept, and started later.
      await daemon.api.call('createWorkload', { body: { name: 'late', image: here.fixture } })

      await engine.start()
      await untilRecovered(daemon, 'waits')
      await untilRecovered(daemon, 'late')
      await untilGone(daemon, 'unwanted')
      await untilAnswers(connection)
      await untilRecovered(daemon, 'rests', 'stopped')
      expect((await containersOf(engine)).map(({ name, state }) => `${name} ${state}`)).toEqual([
        'late running',
        'waits running',
      ])
      await clear(daemon)
      await untilNothingIsLeft(here, home)
    },
  )

  test(
    'what an engine restart and a power cut of the daemon leave behind together is put right',
    { timeout: 600_000 },
    async (context) => {
      const here = platform(context)
      const engine = engineOf(here)
      await using home = await here.makeHome()
      await using first = await startDaemon(home)
      await (await start(first, here, 'both'))[Symbol.asyncDispose]()
      await (await start(first, here, 'orphan'))[Symbol.asyncDispose]()
      await first.kill()
      await engine.kill()
      await rm(join(home.stateDir, 'workloads', 'orphan.json'))
      await engine.start()
      await using second = await startDaemon(home)
      await untilRecovered(second, 'both')
      // Everything with our label that belongs to no workload is removed.
      await until('the orphan to be gone', async () => (await containersOf(engine)).length === 1, 60_000)
      expect(await containersOf(engine)).toMatchObject([{ name: 'both', state: 'running' }])
      expect(await listNames(second)).toEqual(['both'])
      await clear(second)
      await untilNothingIsLeft(here, home)
    },
  )
})

describe('on process', () => {
  const platform = usePlatform('process')

  test('after kill -9 of the sandboxed server it runs again and the client goes on', async (context) => {
    const here = platform(context)
    await using home = await here.makeHome()
    await using daemon = await startDaemon(home)
    await using connection = await start(daemon, here, 'hit')
    const before = await processesOf(home)
    expect(before).not.toEqual([])
    process.kill(Math.max(...before), 'SIGKILL')
    await until('other processes', async () => (await processesOf(home)).some((pid) => !before.includes(pid)), 60_000)
    await untilRecovered(daemon, 'hit')
    await untilAnswers(connection)
    await clear(daemon)
    await untilNothingIsLeft(here, home)
  })

  test('a server that ends at every call is started again each time, with the reason told', async (context) => {
    const here = platform(context)
    await using home = await here.makeHome()
    await using daemon = await startDaemon(home)
    await using connection = await start(daemon, here, 'fragile')
    await expect(callText(connection, 'crash')).rejects.toThrow()
    await untilAnswers(connection)
    await clear(daemon)
    await untilNothingIsLeft(here, home)
  })
})
