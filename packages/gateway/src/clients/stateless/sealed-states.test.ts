import { expect, it } from 'vitest'
import { SealedStates } from './sealed-states.ts'

const MINUTE = 60_000
const states = new SealedStates()

it('a state comes back as the server gave it, and cannot be read on the way', () => {
  const text = states.seal('state " é', 'ada', 0)
  expect(text).not.toContain('state')
  expect(states.open(text, 'ada', MINUTE)).toBe('state " é')
})

it.each<[string, (text: string) => string | undefined]>([
  ['of another caller or request', (text) => states.open(text, 'bob', MINUTE)],
  ['that is too old', (text) => states.open(text, 'ada', 16 * MINUTE)],
  ['of another daemon', (text) => new SealedStates().open(text, 'ada', MINUTE)],
  ['that was changed', (text) => states.open(`${text.slice(0, -2)}AA`, 'ada', MINUTE)],
  ['that was never sealed', () => states.open('plain', 'ada', MINUTE)],
])('a state is worth nothing %s', (_what, open) => {
  expect(open(states.seal('secret', 'ada', 0))).toBeUndefined()
})
