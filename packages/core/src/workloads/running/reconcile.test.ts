import { describe, expect, test } from 'vitest'
import { fc } from '@toolhaven/testing/properties'
import type { Wanted } from '../../ports/stores.ts'
import { type Observed, nothingObserved } from './observed.ts'
import { type Action, type Desire, nextAction } from './reconcile.ts'

const NOW = 1_000_000
const running: Desire = { wanted: 'running', generation: 2, isRemote: false }
const seen = (part: Partial<Observed>): Observed => ({ ...nothingObserved(), ...part })
const up = seen({ instance: 'running', connected: true, open: true, instanceGeneration: 2 })
const late = { message: 'x', retryAt: NOW + 1, isError: true }
const due = { message: 'x', retryAt: NOW, isError: true }
const final = { message: 'x', isError: true }

describe('the next step', () => {
  const table: [string, Partial<Desire>, Observed, Action['do']][] = [
    ['nothing is known yet', {}, seen({}), 'observe'],
    ['nothing is known and a look just failed', {}, seen({ failure: late }), 'wait'],
    ['nothing is known and the pause is over', {}, seen({ failure: due }), 'observe'],
    ['nothing is there', {}, seen({ instance: 'absent' }), 'start'],
    ['an instance was made but not started', {}, seen({ instance: 'created', instanceGeneration: 2 }), 'start'],
    ['the instance ended', {}, seen({ instance: 'exited', instanceGeneration: 2 }), 'start'],
    ['the start failed a moment ago', {}, seen({ instance: 'absent', failure: late }), 'wait'],
    ['the start failed a while ago', {}, seen({ instance: 'absent', failure: due }), 'start'],
    ['the start can never work', {}, seen({ instance: 'absent', failure: final }), 'nothing'],
    ['it runs and is connected', {}, up, 'nothing'],
    ['it runs and is not connected', {}, { ...up, connected: false }, 'adopt'],
    ['it runs, is not connected, and connecting just failed', {}, { ...up, connected: false, failure: late }, 'wait'],
    ['it runs from an older configuration', {}, { ...up, instanceGeneration: 1 }, 'replace'],
    [
      'an older one runs and a start failed',
      {},
      { ...up, connected: false, instanceGeneration: 1, failure: late },
      'replace',
    ],
    ['it no longer answers', {}, { ...up, failedPings: 3 }, 'replace'],
    ['it missed two pings', {}, { ...up, failedPings: 2 }, 'nothing'],
    ['it runs and should be stopped', { wanted: 'stopped' }, up, 'stop'],
    ['it ended and should be stopped', { wanted: 'stopped' }, seen({ instance: 'exited' }), 'stop'],
    [
      'only its port is open and it should be stopped',
      { wanted: 'stopped' },
      seen({ instance: 'absent', open: true }),
      'stop',
    ],
    ['it is down as wanted', { wanted: 'stopped' }, seen({ instance: 'absent' }), 'nothing'],
    ['it should be stopped and nothing is known', { wanted: 'stopped' }, seen({}), 'observe'],
    ['it should go and nothing is known', { wanted: 'absent' }, seen({}), 'observe'],
    ['it should go and the runtime is down', { wanted: 'absent' }, seen({ failure: late }), 'wait'],
    ['it runs and should go', { wanted: 'absent' }, up, 'remove'],
    ['nothing is there and it should go', { wanted: 'absent' }, seen({ instance: 'absent' }), 'remove'],
    ['a remote server is not connected', { isRemote: true }, seen({}), 'start'],
    ['a remote server is connected', { isRemote: true }, seen({ connected: true, instanceGeneration: 2 }), 'nothing'],
    ['a remote server was edited', { isRemote: true }, seen({ connected: true, instanceGeneration: 1 }), 'replace'],
    ['a remote server failed a moment ago', { isRemote: true }, seen({ failure: late }), 'wait'],
    [
      'a remote server should be stopped',
      { isRemote: true, wanted: 'stopped' },
      seen({ connected: true, open: true }),
      'stop',
    ],
    ['a remote server is down as wanted', { isRemote: true, wanted: 'stopped' }, seen({}), 'nothing'],
    ['a remote server should go', { isRemote: true, wanted: 'absent' }, seen({}), 'remove'],
  ]
  test.each(table)('when %s', (_, desire, observed, action) => {
    expect(nextAction({ ...running, ...desire }, observed, NOW).do).toBe(action)
  })

  test('waits until the time of the next attempt', () => {
    expect(nextAction(running, seen({ instance: 'absent', failure: late }), NOW)).toEqual({
      do: 'wait',
      until: NOW + 1,
    })
  })
})

const observations = fc.record({
  instance: fc.constantFrom<Observed['instance'][]>('unknown', 'absent', 'created', 'running', 'exited'),
  open: fc.boolean(),
  connected: fc.boolean(),
  failedPings: fc.nat(5),
  attempts: fc.nat(9),
  instanceGeneration: fc.nat(3),
})
const desires = fc.record({
  wanted: fc.constantFrom<Wanted[]>('running', 'stopped', 'absent'),
  generation: fc.integer({ min: 1, max: 3 }),
  isRemote: fc.boolean(),
})

interface Model {
  observed: Observed
  isRemoved: boolean
  starts: number
}

/** What each action does to the world, at its simplest; `observe` finds what is really there. */
function apply(model: Model, desire: Desire, action: Action, reality: Observed['instance']): void {
  const { observed } = model
  if (action.do === 'observe') observed.instance = reality
  if (action.do === 'start') {
    if (desire.isRemote ? observed.connected : observed.instance === 'running') throw new Error('started while it runs')
    model.starts += 1
    Object.assign(observed, {
      instance: desire.isRemote ? observed.instance : 'running',
      open: true,
      connected: true,
      failedPings: 0,
      instanceGeneration: desire.generation,
    })
  }
  if (action.do === 'adopt') Object.assign(observed, { connected: true, open: true, failedPings: 0 })
  if (action.do === 'replace') Object.assign(observed, { instance: 'absent', connected: false, failedPings: 0 })
  if (action.do === 'stop') Object.assign(observed, { instance: 'absent', connected: false, open: false })
  if (action.do === 'remove') model.isRemoved = true
}

test('repeating the next step always arrives, and never starts twice', () => {
  fc.assert(
    fc.property(
      desires,
      observations,
      fc.constantFrom<Observed['instance'][]>('absent', 'running', 'exited', 'created'),
      (desire, observation, reality) => {
        const model: Model = { observed: { ...observation }, isRemoved: false, starts: 0 }
        let steps = 0
        for (; steps < 10 && !model.isRemoved; steps += 1) {
          const action = nextAction(desire, model.observed, NOW)
          if (action.do === 'nothing') break
          expect(action.do).not.toBe('wait')
          apply(model, desire, action, reality)
        }
        expect(steps).toBeLessThanOrEqual(5)
        expect(model.starts).toBeLessThanOrEqual(1)
        expect(model.isRemoved).toBe(desire.wanted === 'absent')
        const arrived = {
          running: { connected: true, instanceGeneration: desire.generation },
          stopped: { connected: false, open: false },
          absent: {},
        }
        expect(model.observed).toMatchObject(arrived[desire.wanted])
      },
    ),
    { numRuns: 500 },
  )
})
