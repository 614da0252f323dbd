import { type FakeDaemon, startFakeDaemon } from '@toolhaven/fakes/fake-daemon'
import { settle } from '@toolhaven/fakes/manual-clock'
import { expect, test } from 'vitest'
import { unavailable } from '../../errors.ts'
import { createWorkload } from '../operations/create.ts'
import { EndedEarly } from './ended-early.ts'

const reportOf = ({ daemon }: FakeDaemon) => daemon.workloads.book.status('slack')

/** A server that ends at once, as one without its key does. The runtime's event comes before or after the end of the pipe. */
function endAtOnce(fake: FakeDaemon, isEventFirst: boolean): void {
  let starts = 0
  fake.gateway.connect = async (name, backend) => {
    if (backend.kind === 'stdio') await backend.start?.()
    starts += 1
    if (isEventFirst) {
      fake.runtime.crash(name)
      await settle()
    }
    fake.logs.append(name, 'stderr', `Please set SLACK_BOT_TOKEN (start ${starts})`)
    if (!isEventFirst) fake.runtime.crash(name)
    const message = `The server ${name} did not answer: the server's process ended.`
    throw starts === 1 ? new EndedEarly(message, undefined) : unavailable(message)
  }
}

test('the lines of a stack do not push out the error', async () => {
  using fake = await startFakeDaemon()
  await createWorkload(fake.daemon.workloads, { name: 'slack', image: 'npx://slack@1.0.0' })
  await settle()
  const stack = Array.from({ length: 8 }, (_, at) => `    at load (node:internal/modules/${at}:1:1)`)
  for (const line of ['file:///a.js:1', 'SyntaxError: Unexpected token', ...stack, '', 'Node.js v24.1.0'])
    fake.logs.append('slack', 'stderr', line)
  fake.runtime.crash('slack')
  await expect
    .poll(() => reportOf(fake).context)
    .toMatch(/output: file:\/\/\/a\.js:1 \| SyntaxError: Unexpected token; trying again$/)
})

test.each([true, false])(
  'why a server ended is in its status, with its last lines only, and in its log (event first: %s)',
  async (isEventFirst) => {
    using fake = await startFakeDaemon()
    const contexts: string[] = []
    fake.daemon.events.subscribe(({ status_context: context }) => contexts.push(context))
    endAtOnce(fake, isEventFirst)
    await createWorkload(fake.daemon.workloads, { name: 'slack', image: 'npx://slack@1.0.0' })
    await expect.poll(() => reportOf(fake).context).toContain('(start 1)')
    expect(reportOf(fake)).toMatchObject({ status: 'starting' })
    await fake.clock.advance(1_000)
    await expect.poll(() => reportOf(fake).status).toBe('error')
    const words = 'Please set SLACK_BOT_TOKEN (start 2)'
    expect(reportOf(fake)).toEqual({
      status: 'error',
      context: `the server exited with code 1; its last output: ${words}`,
    })
    expect(contexts.filter((context) => context.includes('process ended'))).toEqual([])
    expect(await fake.logs.tail('slack', 9)).toEqual([
      'Please set SLACK_BOT_TOKEN (start 1)',
      '[toolhaven] the server exited with code 1; it starts again in 1 s',
      words,
      '[toolhaven] the server exited with code 1; it starts again in 2 s',
    ])
  },
)
