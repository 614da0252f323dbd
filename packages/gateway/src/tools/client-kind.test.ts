import { expect, test } from 'vitest'
import { clientKind } from './client-kind.ts'

test('only what servers can ask for makes a kind, in one order, so that clients cannot make up kinds', () => {
  const kindOf = (capabilities: unknown) => clientKind({ client: { capabilities } })
  expect(kindOf({})).toBe('')
  expect(kindOf(undefined)).toBe('')
  expect(kindOf({ sampling: {}, elicitation: { url: {}, other: {} }, experimental: { x: {} } })).toBe(
    'elicitation elicitation.url sampling',
  )
  expect(kindOf({ elicitation: { url: {} }, sampling: {}, roots: true })).toBe('elicitation elicitation.url sampling')
})
