import { Agent, getGlobalDispatcher, setGlobalDispatcher } from 'undici'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { rotationFrom } from '@toolhaven/testing/rotation'
import { fc } from '@toolhaven/testing/properties'
import { connectAskingHttp } from './support/asking-http-server.ts'
import { askingServer } from './support/asking-server.ts'
import { ask, bearer, startWithIdentities, tokenOf, type TestIdentities } from './support/identities.ts'
import { RawModernClient } from './support/modern-client.ts'
import type { Question } from './support/questions.ts'
import { RawClient } from './support/raw-client.ts'
import { connectScriptedAuto } from './support/scripted-auto.ts'

const { full } = rotationFrom(process.env)

const SERVERS = 10
const CALLERS = 20

interface Server {
  test: TestIdentities
  /** At every other server, callers are authenticated, and a token can be revoked. */
  hasIdentities: boolean
  /**
   * Another process replaces the workload's, with everything that was asked of it. An HTTP server forgets its sessions.
   */
  restart: () => Promise<void>
}

let servers: Server[] = []

beforeAll(async () => {
  const kinds = Array.from({ length: SERVERS }, (_, index) => ({
    hasIdentities: index % 2 === 1,
    isHttp: index % 5 > 2,
  }))
  servers = await Promise.all(kinds.map(start))
})
afterAll(async () => {
  for (const { test } of servers) await test[Symbol.asyncDispose]()
})

async function start({ hasIdentities, isHttp }: { hasIdentities: boolean; isHttp: boolean }): Promise<Server> {
  // Every request checks whether its token is still valid, and every stream ends soon after it is not.
  const options = { tokenTimes: { introspectedMs: 0, skewMs: 0 }, limits: { keepAliveMs: 50 } }
  const test = await startWithIdentities({}, options)
  if (!hasIdentities) await test.open()
  if (isHttp) return { test, hasIdentities, restart: await connectAskingHttp(test) }
  // The server is known to ask: otherwise its first question may have to be refused.
  const own = { needsOwn: true, own: { maxSessions: 100, idleMs: 600_000 } }
  let connected: Promise<unknown> = Promise.resolve()
  const restart = async () => {
    connected = connected.then(() => connectScriptedAuto(test, own, askingServer))
    await connected
  }
  await restart()
  return { test, hasIdentities, restart }
}

const step = fc.record({
  asks: fc.array(fc.constantFrom<Question>('sampling', 'elicitation', 'roots'), { maxLength: 2 }),
  isLate: fc.boolean(),
  /** What happens to the call while it is under way. */
  end: fc.constantFrom('answer', 'answer', 'answer', 'cancel', 'leave', 'restart', 'revoke'),
  /** Runs together with the step before it. */
  isParallel: fc.boolean(),
})
type Step = typeof step extends fc.Arbitrary<infer Plan> ? Plan : never
const caller = fc.record({
  front: fc.constantFrom('http', 'sse', 'modern'),
  server: fc.nat({ max: SERVERS - 1 }),
  steps: fc.array(step, { minLength: 1, maxLength: 3 }),
})
type Caller = typeof caller extends fc.Arbitrary<infer Plan> ? Plan : never

let count = 0

/** One of the callers, and how its token is revoked where it has one. */
function nextCaller({ test, hasIdentities }: Server) {
  const name = `c${++count}`
  const claims = hasIdentities ? { sub: name } : undefined
  const token = claims === undefined ? '' : tokenOf(claims)
  const revoke = () => {
    if (token !== '') test.provider.revoked.add(token)
  }
  return { name, headers: bearer(claims), revoke }
}

/** What reached the caller that names a client, and the answers to its calls that had to come. */
interface Seen {
  name: string
  seen: string[]
  owed: Owed[]
}

interface Owed {
  text: string
  /** How many questions had to be answered first. */
  asks: number
}

async function playModern(server: Server, { steps }: Caller): Promise<Seen> {
  const { name, headers, revoke } = nextCaller(server)
  const client = new RawModernClient(server.test, name, headers)
  const answers: string[] = []
  const owed: Owed[] = []
  await inOrder(steps, async ({ asks, isLate, end }) => {
    const gone = new AbortController()
    const args = { owner: client.name, asks, isLate }
    const called = client.call(args, gone.signal).catch(() => 'gone')
    if (end === 'cancel' || end === 'leave') gone.abort()
    if (end === 'restart') await server.restart()
    if (end === 'revoke') revoke()
    const answer = await called
    answers.push(answer)
    if (end === 'answer') owed.push({ text: answer, asks: asks.length })
  })
  return { name, seen: [...client.questions, ...answers], owed }
}

async function playSession(server: Server, { front, steps }: Caller): Promise<Seen> {
  const { name, headers, revoke } = nextCaller(server)
  const client = new RawClient(server.test, front === 'sse' ? 'sse' : 'http', name, headers)
  client.tellsRoots = true
  const owed: Owed[] = []
  const left = Promise.withResolvers<void>()
  let hasLeft = false
  const leave = async (how: () => unknown) => {
    hasLeft = true
    await how()
    left.resolve()
  }
  const playStep = async ({ asks, isLate, end }: Step, index: number) => {
    const id = `${name}-${index}`
    const params = { name: 'work', arguments: { owner: name, asks, isLate } }
    const sent = client.send({ id, method: 'tools/call', params }).catch(() => undefined)
    if (end === 'cancel') await client.send({ method: 'notifications/cancelled', params: { requestId: id } })
    if (end === 'restart') await server.restart()
    if (end === 'leave') await leave(() => client.leave())
    if (end === 'revoke' && server.hasIdentities) await leave(revoke)
    const answer = () => client.responses.find((response) => response.id === id)
    await Promise.race([sent, left.promise])
    const isOwed = (end === 'answer' || end === 'restart') && !hasLeft
    if (isOwed) await Promise.race([client.until(() => answer() !== undefined), left.promise])
    if (end === 'answer' && answer() !== undefined) owed.push({ text: JSON.stringify(answer()), asks: asks.length })
  }
  // During a restart it may be refused: then it has no session to call anything in.
  if ((await client.connect({ sampling: {}, elicitation: {}, roots: {} })) !== undefined) await inOrder(steps, playStep)
  await client.leave()
  const texts = [...client.responses, ...client.logs].map((message) => JSON.stringify(message))
  return { name, seen: [...client.questions, ...texts], owed }
}

/** Parallel steps begin with the one before them. */
async function inOrder(steps: readonly Step[], run: (each: Step, index: number) => Promise<void>): Promise<void> {
  let before: Promise<void>[] = []
  for (const [index, each] of steps.entries()) {
    if (!each.isParallel) await Promise.all(before.splice(0))
    before = [...before, run(each, index)]
  }
  await Promise.all(before)
}

const named = (text: string) => [...text.matchAll(/\b(?:of|for) (c\d+)\b|\b(c\d+) answers/g)].map((m) => m[1] ?? m[2])

/** The calls of a caller that nothing disturbs: neither the caller itself nor a restart of its server. */
function callsToAnswer({ server, steps }: Caller, callers: readonly Caller[]): number | undefined {
  const isRestarted = callers.some(
    (other) => other.server === server && other.steps.some(({ end }) => end === 'restart'),
  )
  const isSelfEnded = steps.some(({ end }) => end === 'leave' || end === 'revoke')
  return isRestarted || isSelfEnded ? undefined : steps.filter(({ end }) => end === 'answer').length
}

/** A caller whose token was revoked is a stranger. */
async function checkRevoked({ test }: Server, name: string): Promise<void> {
  const claims = { sub: name }
  if (!test.provider.revoked.has(tokenOf(claims))) return
  const refused = await ask(test, { jsonrpc: '2.0', id: 1, method: 'ping' }, bearer(claims))
  expect([refused.status, named(await refused.text())]).toEqual([401, []])
}

/**
 * Keeps callers of one interleaving from using the connections of another. A call that is given up before it is sent
 * leaves its connection unused in the pool of `fetch`. The gateway ends such connections after ten seconds with 408, as
 * Node does. A call that the pool sends over one at that moment gets the 408 or a reset.
 */
async function withOwnConnections(run: () => Promise<void>): Promise<void> {
  const usual = getGlobalDispatcher()
  const own = new Agent()
  setGlobalDispatcher(own)
  try {
    await run()
  } finally {
    setGlobalDispatcher(usual)
    await own.destroy()
  }
}

async function play(callers: readonly Caller[]): Promise<void> {
  await Promise.all(
    callers.map(async (plan) => {
      const server = servers[plan.server]
      if (server === undefined) throw new Error('no such server')
      const { name, seen, owed } = await (plan.front === 'modern' ? playModern : playSession)(server, plan)
      for (const text of seen) expect(named(text).filter((other) => other !== name)).toEqual([])
      await checkRevoked(server, name)
      const wanted = callsToAnswer(plan, callers)
      if (wanted === undefined) return
      expect(owed).toHaveLength(wanted)
      for (const { text, asks } of owed) {
        expect(text).toContain(`for ${name}`)
        expect(text).not.toContain('refused')
        expect(text.split(`${name} answers`)).toHaveLength(asks + 1)
      }
    }),
  )
}

it(
  'every question, log line and answer of ten servers reaches the one of twenty callers that it is for',
  { timeout: full ? 14_400_000 : 300_000 },
  async () => {
    const callers = fc.array(caller, { minLength: CALLERS, maxLength: CALLERS })
    await fc.assert(
      fc.asyncProperty(callers, (all) => withOwnConnections(() => play(all))),
      { numRuns: full ? 1_000 : 3, endOnFailure: true },
    )
  },
)
