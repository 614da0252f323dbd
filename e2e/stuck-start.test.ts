import { expect, test } from 'vitest'
import { until } from '@toolhaven/testing/testbed/until'
import { weakenedBuild, type Weakness } from './src/attacks/build.ts'
import { usePlatform } from './src/platform.ts'
import { untilGone, untilRecovered } from './src/statuses.ts'

const platform = usePlatform('process')

/** Lets a NUL reach bubblewrap, which then reports nothing: what follows the NUL is not an option, so all later options are lost. */
const LETS_NUL_IN: readonly Weakness[] = [
  {
    file: 'packages/contract/src/text.ts',
    find: "text.includes('\\0')",
    replace: 'false',
  },
]

/** A runtime that ignores its signal. */
const NEVER_STARTS: Weakness = {
  file: 'packages/core/src/workloads/running/start-instance.ts',
  find: 'await deps.runtime.start(handle, limit)',
  replace: 'await Promise.withResolvers<void>().promise',
}

const POISON = { A: 'x\0y' }

test('a sandbox that never reports is an error with a reason, can be removed, and the daemon ends', async (context) => {
  const here = platform(context)
  await using home = await here.makeHome()
  await using daemon = await weakenedBuild(LETS_NUL_IN).start(home)
  const create = (name: string) =>
    daemon.api.call('createWorkload', { body: { name, image: here.fixture, env_vars: POISON } })
  await create('stuck')
  await untilRecovered(daemon, 'stuck', 'error')
  const { status_context } = await daemon.api.call('getWorkload', { params: { name: 'stuck' } })
  expect(status_context).toContain('The sandbox did not report')
  await daemon.api.call('deleteWorkload', { params: { name: 'stuck' } })
  await untilGone(daemon, 'stuck')
  // One that is removed while it starts, and one that starts while the daemon ends.
  await create('removed')
  await daemon.api.call('deleteWorkload', { params: { name: 'removed' } })
  await untilGone(daemon, 'removed')
  await create('last')
  expect(await daemon.stop()).toBe(0)
})

test('a start that never settles can be removed, and the daemon ends', async (context) => {
  const here = platform(context)
  await using home = await here.makeHome()
  await using daemon = await weakenedBuild([NEVER_STARTS]).start(home)
  const create = async (name: string) => {
    await daemon.api.call('createWorkload', { body: { name, image: here.fixture } })
    await until(`${name} to be created`, async () => {
      const { status_context } = await daemon.api.call('getWorkload', { params: { name } })
      return status_context.includes('starting')
    })
  }
  await create('stuck')
  await daemon.api.call('deleteWorkload', { params: { name: 'stuck' } })
  await untilGone(daemon, 'stuck')
  await create('last')
  expect(await daemon.stop()).toBe(0)
})
