import { expect, it } from 'vitest'
import { fuzzTarget } from './fuzz-target.ts'

it('a target that cannot be opened fails without an input that could be kept', async () => {
  const { failure } = await fuzzTarget({ name: 'no-such-target' }, { seed: 1, milliseconds: 1000 }, () => undefined)
  expect(failure?.error).toContain('could not be opened')
  expect(failure?.error).toContain('no target is called no-such-target')
  expect(failure?.input).toBeUndefined()
})
