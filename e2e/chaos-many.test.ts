import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { ApiError } from '@toolhaven/contract/client'
import { rotationFrom } from '@toolhaven/testing/rotation'
import { until } from '@toolhaven/testing/testbed/until'
import { startDaemon } from './src/daemon-process.ts'
import { instancesOf, untilNothingIsLeft } from './src/instances.ts'
import { connectMcp } from './src/mcp-client.ts'
import { usePlatform } from './src/platform.ts'
import { listNames, untilGone, untilStatus } from './src/statuses.ts'
import { TINY_IMAGE, buildTinyImage } from './src/tiny-image.ts'

const COUNT = rotationFrom(process.env).full ? 200 : 40

describe('many at once on docker', () => {
  const platform = usePlatform('docker')

  test(
    `${COUNT} workloads are created and deleted in parallel: nothing is lost, nothing is left`,
    { timeout: 1_800_000 },
    async (context) => {
      const here = platform(context)
      if (here.engine) await buildTinyImage(here.engine)
      await using home = await here.makeHome()
      await using daemon = await startDaemon(home)
      const names = Array.from({ length: COUNT }, (_, index) => `w${String(index).padStart(3, '0')}`)
      const made = await Promise.all(
        names.map((name) => daemon.api.call('createWorkload', { body: { name, image: TINY_IMAGE } })),
      )
      expect(new Set(made.map(({ port }) => port)).size).toBe(COUNT)
      expect(await listNames(daemon)).toEqual(names)
      const allRun = async () => {
        const { workloads } = await daemon.api.call('listWorkloads', {})
        return workloads.every(({ status }) => status === 'running')
      }
      await until('all to run', allRun, 1_200_000)
      expect(await instancesOf(here, home)).toEqual(names)
      const some = names.filter((_, index) => index % 10 === 0)
      for (const name of some) {
        const { url } = await daemon.api.call('getWorkload', { params: { name } })
        await using connection = await connectMcp(url)
        expect(await connection.toolNames()).toEqual(['tiny'])
      }

      // Half one by one, half in one call.
      const odd = names.filter((_, index) => index % 2 === 1)
      const even = names.filter((_, index) => index % 2 === 0)
      await Promise.all([
        daemon.api.call('deleteWorkloads', { body: { names: even } }),
        ...odd.map((name) => daemon.api.call('deleteWorkload', { params: { name } })),
      ])
      await until('all to be gone', async () => (await listNames(daemon)).length === 0, 1_200_000)
      await untilNothingIsLeft(here, home)
      expect(await readdir(join(home.stateDir, 'workloads'))).toEqual([])
    },
  )
})

describe('at once on process', () => {
  const platform = usePlatform('process')

  test('of two creates of one name one is made and one is told that it exists, however spelled', async (context) => {
    const here = platform(context)
    await using home = await here.makeHome()
    await using daemon = await startDaemon(home)
    for (const [round, [first, second]] of [
      ['twin', 'twin'],
      ['case', 'CASE'],
    ].entries()) {
      const create = (name = '') =>
        daemon.api.call('createWorkload', { body: { name, image: here.fixture } }).then(
          () => 201,
          (error: unknown) => (error instanceof ApiError ? error.status : error),
        )
      expect((await Promise.all([create(first), create(second)])).toSorted()).toEqual([201, 409])
      expect(await listNames(daemon)).toHaveLength(round + 1)
    }
    for (const name of await listNames(daemon)) await untilStatus(daemon, name, 'running')
  })

  test(
    'creates, stops, restarts and deletes of the same names in any order end in what was asked last',
    { timeout: 600_000 },
    async (context) => {
      const here = platform(context)
      await using home = await here.makeHome()
      await using daemon = await startDaemon(home)
      const names = ['churn-a', 'churn-b', 'churn-c', 'churn-d']
      await Promise.all(names.map((name) => daemon.api.call('createWorkload', { body: { name, image: here.fixture } })))
      for (const verb of ['stopWorkload', 'restartWorkload', 'stopWorkload', 'restartWorkload'] as const) {
        await Promise.all(names.map((name) => daemon.api.call(verb, { params: { name } })))
      }
      await daemon.api.call('stopWorkload', { params: { name: 'churn-a' } })
      await daemon.api.call('deleteWorkload', { params: { name: 'churn-b' } })
      await untilStatus(daemon, 'churn-a', 'stopped')
      await untilGone(daemon, 'churn-b')
      for (const name of ['churn-c', 'churn-d']) await untilStatus(daemon, name, 'running')
      expect(await listNames(daemon)).toEqual(['churn-a', 'churn-c', 'churn-d'])
      await daemon.api.call('deleteWorkloads', { body: { group: 'default' } })
      await untilGone(daemon, ...names)
      await untilNothingIsLeft(here, home)
    },
  )
})
