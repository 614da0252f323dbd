import { expect, test } from 'vitest'
import { type FakeDaemon, startFakeDaemon } from '@toolhaven/fakes/fake-daemon'
import { settle } from '@toolhaven/fakes/manual-clock'
import { fc } from '@toolhaven/testing/properties'
import { rotationFrom } from '@toolhaven/testing/rotation'
import { watchStatuses } from '@toolhaven/testing/scenario/watch-statuses'
import { isThvError } from '../../errors.ts'
import { createWorkload } from '../operations/create.ts'
import { editWorkload } from '../operations/edit.ts'
import { type Verb, changeLifecycle } from '../operations/lifecycle.ts'

const NAMES = ['web', 'far'] as const
const { full } = rotationFrom(process.env)

type Step = (fake: FakeDaemon) => unknown

/** What users and the world do to a daemon. */
const STEPS: Record<string, Step> = {
  'create web': (fake) => tolerate(createWorkload(fake.daemon.workloads, { name: 'web', image: 'npx://web@1.0.0' })),
  'create far': (fake) =>
    tolerate(createWorkload(fake.daemon.workloads, { name: 'far', url: 'https://example.com/mcp' })),
  ...Object.fromEntries(
    NAMES.flatMap((name) =>
      (['stop', 'restart', 'delete'] as const).map((verb: Verb) => [
        `${verb} ${name}`,
        (fake: FakeDaemon) => tolerate(changeLifecycle(fake.daemon.workloads, name, verb)),
      ]),
    ),
  ),
  'edit web': (fake) => tolerate(editWorkload(fake.daemon.workloads, 'web', { tools: ['echo'] })),
  'web crashes': (fake) =>
    fake.runtime.instances.get('thv-web')?.state.state === 'running' && fake.runtime.crash('web'),
  'web loses its pipe': (fake) =>
    fake.gateway.backends.has('web') && fake.gateway.events.onBackendLost('web', 'closed'),
  'far is lost': (fake) => fake.gateway.backends.has('far') && fake.gateway.events.onBackendLost('far', 'closed'),
  'the engine goes': (fake) => fake.runtime.goDown(),
  'the engine comes back': (fake) => {
    fake.runtime.isDown = false
  },
  'servers stop answering': (fake) => {
    fake.gateway.failPings = true
  },
  'servers answer again': (fake) => {
    fake.gateway.failPings = false
  },
  'handshakes fail': (fake) => {
    fake.gateway.failHandshake = 'no handshake'
  },
  'handshakes work': (fake) => {
    fake.gateway.failHandshake = undefined
  },
  'a moment passes': (fake) => fake.clock.advance(2_000),
  'half a minute passes': (fake) => fake.clock.advance(30_000),
  'things settle': () => settle(),
}

/** Each was a fault once. */
const FOUND_BEFORE = [
  // The edit wanted the stopped workload again, and it showed the error of its last run before it started.
  ['stop web', 'create web', 'restart web', 'the engine goes', 'stop far'].concat([
    'stop web',
    'create web',
    'the engine comes back',
    'edit web',
  ]),
]

/** A refusal is a fine answer; a fault is not. */
async function tolerate(work: Promise<unknown>): Promise<void> {
  try {
    await work
  } catch (error) {
    if (!isThvError(error)) throw error
  }
}

async function heal(fake: FakeDaemon): Promise<void> {
  fake.runtime.isDown = false
  fake.gateway.failPings = false
  fake.gateway.failHandshake = undefined
  for (let step = 0; step < 12; step += 1) await fake.clock.advance(30_000)
}

test(
  'whatever happens, statuses follow the table, and all arrives where it is wanted once the world is well',
  { timeout: 300_000 },
  async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(...Object.keys(STEPS)), { minLength: 5, maxLength: 25 }),
        async (names) => {
          using fake = await startFakeDaemon()
          const { violations } = watchStatuses(fake)
          for (const name of ['create web', 'create far', 'things settle', ...names]) await STEPS[name]?.(fake)
          await heal(fake)
          expect(violations).toEqual([])
          for (const { stored } of fake.daemon.workloads.book.all()) {
            const { name } = stored.config
            const { status, context } = fake.daemon.workloads.book.status(name)
            expect(`${name} ${status}`, context).toBe(`${name} ${stored.wanted}`)
            const isLocal = name === 'web'
            expect(fake.runtime.instances.has('thv-web') || !isLocal || stored.wanted === 'stopped').toBe(true)
            expect(fake.gateway.endpoints.has(name)).toBe(stored.wanted === 'running')
          }
          const wantsInstance = fake.daemon.workloads.book.find('web')?.stored.wanted === 'running'
          expect([...fake.runtime.instances.keys()]).toEqual(wantsInstance ? ['thv-web'] : [])
        },
      ),
      { numRuns: full ? 1_000 : 60, interruptAfterTimeLimit: 240_000, examples: FOUND_BEFORE.map((names) => [names]) },
    )
  },
)
