import { describe, expect, test } from 'vitest'
import { sample } from '@toolhaven/testing/rotation'
import { rotationInside } from '@toolhaven/testing/turns'
import { type DaemonProcess, startDaemon } from './src/daemon-process.ts'
import { instancesOf, untilNothingIsLeft } from './src/instances.ts'
import { callText, connectMcp } from './src/mcp-client.ts'
import { PHASES, enterPhase } from './src/phases.ts'
import { usePlatform } from './src/platform.ts'
import { listNames, untilGone, untilRecovered } from './src/statuses.ts'

const NAME = 'survivor'

describe.each([{ kind: 'docker' }, { kind: 'process' }] as const)('kill -9 of the daemon on $kind', ({ kind }) => {
  const platform = usePlatform(kind)
  const phases = PHASES.filter(({ on }) => on.includes(kind))

  test.for(sample(phases, 3, rotationInside(import.meta.url)))(
    'while $phase: the next one makes it $after',
    { timeout: 600_000 },
    async ({ phase, after }, context) => {
      const here = platform(context)
      await using scene = await enterPhase(here, phase, NAME)
      const { home, daemon } = scene
      await daemon.kill()
      // Sandboxes end with the daemon; containers wait for the next one.
      if (kind === 'process') await untilNothingIsLeft(here, home)
      await scene.letThrough()

      await using next = await startDaemon(home)
      if (after === 'gone') await untilGone(next, NAME)
      else await untilRecovered(next, NAME, after)
      expect(await listNames(next)).toEqual(after === 'gone' ? ['bystander'] : ['bystander', NAME])
      await untilRecovered(next, 'bystander')
      const running = after === 'running' ? ['bystander', NAME] : ['bystander']
      for (const name of running) expect(await askOnNewConnection(next, name)).toBe('3')
      // A client from before continues in its session.
      expect(await callText(scene.client, 'add', { a: 3, b: 4 })).toBe('7')
      expect(here.engine ? await instancesOf(here, home) : running).toEqual(running)

      await next.api.call('deleteWorkloads', { body: { group: 'default' } })
      await untilGone(next, 'bystander', NAME)
      await untilNothingIsLeft(here, home)
    },
  )
})

async function askOnNewConnection(daemon: DaemonProcess, name: string): Promise<string> {
  const { url } = await daemon.api.call('getWorkload', { params: { name } })
  await using connection = await connectMcp(url)
  return await callText(connection, 'add', { a: 1, b: 2 })
}
