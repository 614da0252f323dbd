import { queryObjects } from 'node:v8'
import { afterEach, expect, it, vi } from 'vitest'
import { requestOf } from '../messages/json-rpc.ts'
import { DEFAULT_LIMITS } from '../endpoint/options.ts'
import { Call } from '../sessions/call.ts'
import { Session } from '../sessions/session.ts'
import { PendingCalls } from './pending-calls.ts'

afterEach(() => void vi.useRealTimers())

/** A call of a new client, from start to end. */
function serve(pending: PendingCalls): void {
  const session = new Session('streamable-http', '2025-11-25', {}, DEFAULT_LIMITS)
  const reply = { related: () => true, answer: () => {}, abandon: () => {} }
  const request = requestOf(1, 'tools/call', { name: 'any' })
  const call = new Call({ session, request, reply, headers: () => ({}), onAnswer: (body) => body, onSettled: () => {} })
  pending.take(pending.add({ call, onAnswer: () => {}, onLost: () => {} }))
}

it('clients that a server has served count for five minutes, and are forgotten when it serves others later', () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  const pending = new PendingCalls()
  for (let count = 0; count < 10; count += 1) serve(pending)
  expect(pending.servedLately().size).toBe(10)
  vi.setSystemTime(Date.now() + 301_000)
  serve(pending)
  // Only their session is kept.
  expect(Number(queryObjects(Session))).toBe(1)
  expect(pending.servedLately().size).toBe(1)
})
