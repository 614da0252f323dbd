import { expect, it } from 'vitest'
import { silentLogger } from '@toolhaven/fakes/memory-stores'
import { DEFAULT_LIMITS } from '../endpoint/options.ts'
import { KeptBytes } from './kept-bytes.ts'
import type { Session } from './session.ts'
import { SessionTable } from './session-table.ts'

const HOUR_MS = 3_600_000

function fullTable(owners: readonly (string | undefined)[]): { add: typeof add; sessions: Session[] } {
  const table = new SessionTable({
    ...{ name: 'n', logger: silentLogger, kept: new KeptBytes(1_000_000), store: undefined },
    limits: { ...DEFAULT_LIMITS, maxSessions: owners.length },
    isolated: () => undefined,
    onEnd: () => {},
    upstreamIdleMs: () => Infinity,
    onUnused: () => {},
  })
  const add = (owner: string | undefined) => table.add('streamable-http', '2025-11-25', {}, owner)
  const sessions = owners.map((owner) => add(owner)).filter((session) => session !== undefined)
  return { add, sessions }
}

const ended = (sessions: readonly Session[]) => sessions.map(({ isEnded }) => isEnded)

it('of callers with equally many sessions, the one idle for longest makes room', () => {
  const { add, sessions } = fullTable(['a', 'b', 'c'])
  for (const [at, hours] of [1, 2, 20].entries()) sessions[at]!.lastSeen -= hours * HOUR_MS
  expect(add('d')).toBeDefined()
  expect(ended(sessions)).toEqual([false, false, true])
})

it('an idle session makes room before one in use that was not heard of for longer', () => {
  const { add, sessions } = fullTable(['a', 'b'])
  sessions[0]!.lastSeen -= 20 * HOUR_MS
  // Its client waits for an answer.
  Object.defineProperty(sessions[0], 'isConnected', { value: true })
  expect(add('c')).toBeDefined()
  expect(ended(sessions)).toEqual([false, true])
})

it('a session whose initialize is not answered yet makes no room', () => {
  const { add, sessions } = fullTable(['a', 'b', 'b'])
  for (const at of [1, 2]) sessions[at]!.isOpening = true
  expect(add('c')).toBeUndefined()
  sessions[2]!.isOpening = false
  expect(add('c')).toBeDefined()
  expect(ended(sessions)).toEqual([false, false, true])
})

it('a session whose initialize is not answered for long makes room for another caller, and not for those without a name', () => {
  const { add, sessions } = fullTable(['a', 'b', 'b'])
  for (const at of [1, 2]) sessions[at]!.isOpening = true
  sessions[2]!.createdAt -= HOUR_MS
  expect(add('c')).toBeDefined()
  expect(ended(sessions)).toEqual([false, false, true])

  const nameless = fullTable([undefined, undefined])
  for (const session of nameless.sessions) Object.assign(session, { isOpening: true, createdAt: 0 })
  expect(nameless.add(undefined)).toBeUndefined()
})

it('a caller with as many sessions as any other loses one of their own', () => {
  const { add, sessions } = fullTable(['a', 'b'])
  sessions[0]!.lastSeen -= 20 * HOUR_MS
  expect(add('b')).toBeDefined()
  expect(ended(sessions)).toEqual([false, true])
})
