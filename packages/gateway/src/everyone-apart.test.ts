import { afterAll, beforeAll, expect, it } from 'vitest'
import { rotationFrom } from '@toolhaven/testing/rotation'
import { fc } from '@toolhaven/testing/properties'
import { askingServer } from './test-asking-server.ts'
import { startGateway, type TestGateway } from './test-gateway.ts'
import { RawModernClient } from './test-modern-client.ts'
import { RawClient } from './test-raw-client.ts'
import { connectScriptedAuto } from './test-scripted-auto.ts'

const { full } = rotationFrom(process.env)

const SERVERS = 10
const CALLERS = 20

interface Server {
  test: TestGateway
  /** Another process takes the place of the workload's, with all that was asked of it. */
  restart: () => Promise<void>
}

let servers: Server[] = []

beforeAll(async () => {
  servers = await Promise.all(Array.from({ length: SERVERS }, start))
})
afterAll(async () => {
  for (const { test } of servers) await test[Symbol.asyncDispose]()
})

async function start(): Promise<Server> {
  const test = await startGateway()
  await test.open()
  // It is known to ask: the first question of a server may have to be refused.
  const own = { needsOwn: true, own: { maxSessions: 100, idleMs: 600_000 } }
  let connected: Promise<unknown> = Promise.resolve()
  const restart = async () => {
    connected = connected.then(() => connectScriptedAuto(test, own, askingServer))
    await connected
  }
  await restart()
  return { test, restart }
}

const step = fc.record({
  asks: fc.nat({ max: 2 }),
  isLate: fc.boolean(),
  /** What becomes of the call while it is under way. */
  end: fc.constantFrom('answer', 'answer', 'answer', 'cancel', 'leave', 'restart'),
  /** Together with the step before it. */
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

/** What reached the caller that names a client; the answers to its calls that had to come. */
interface Seen {
  name: string
  seen: string[]
  owed: string[]
}

async function playModern({ test, restart }: Server, { steps }: Caller): Promise<Seen> {
  const client = new RawModernClient(test, `c${++count}`)
  const answers: string[] = []
  const owed: string[] = []
  await inOrder(steps, async ({ asks, isLate, end }) => {
    const gone = new AbortController()
    const args = { owner: client.name, asks, isLate }
    const called = client.call(args, gone.signal).catch(() => 'gone')
    if (end === 'cancel' || end === 'leave') gone.abort()
    if (end === 'restart') await restart()
    const answer = await called
    answers.push(answer)
    if (end === 'answer') owed.push(answer)
  })
  return { name: client.name, seen: [...client.questions, ...answers], owed }
}

async function playSession({ test, restart }: Server, { front, steps }: Caller): Promise<Seen> {
  const client = new RawClient(test, front === 'sse' ? 'sse' : 'http', `c${++count}`)
  await client.connect({ sampling: {} })
  const owed: string[] = []
  const left = Promise.withResolvers<void>()
  let hasLeft = false
  await inOrder(steps, async ({ asks, isLate, end }, index) => {
    const id = `${client.name}-${index}`
    const params = { name: 'work', arguments: { owner: client.name, asks, isLate } }
    const sent = client.send({ id, method: 'tools/call', params }).catch(() => undefined)
    if (end === 'cancel') await client.send({ method: 'notifications/cancelled', params: { requestId: id } })
    if (end === 'restart') await restart()
    if (end === 'leave') {
      hasLeft = true
      await client.leave()
      left.resolve()
    }
    const answer = () => client.responses.find((response) => response.id === id)
    await Promise.race([sent, left.promise])
    const isOwed = (end === 'answer' || end === 'restart') && !hasLeft
    if (isOwed) await Promise.race([client.until(() => answer() !== undefined), left.promise])
    if (end === 'answer' && answer() !== undefined) owed.push(JSON.stringify(answer()))
  })
  if (!hasLeft) await client.leave()
  const texts = [...client.responses, ...client.logs].map((message) => JSON.stringify(message))
  return { name: client.name, seen: [...client.questions, ...texts], owed }
}

/** Steps that are parallel begin with the one before them. */
async function inOrder(steps: readonly Step[], run: (each: Step, index: number) => Promise<void>): Promise<void> {
  let before: Promise<void>[] = []
  for (const [index, each] of steps.entries()) {
    if (!each.isParallel) await Promise.all(before.splice(0))
    before = [...before, run(each, index)]
  }
  await Promise.all(before)
}

const named = (text: string) => [...text.matchAll(/\b(?:of|for) (c\d+)\b|\b(c\d+) answers/g)].map((m) => m[1] ?? m[2])

async function play(callers: readonly Caller[]): Promise<void> {
  const outcomes = await Promise.all(
    callers.map((plan) => {
      const server = servers[plan.server]
      if (server === undefined) throw new Error('no such server')
      return plan.front === 'modern' ? playModern(server, plan) : playSession(server, plan)
    }),
  )
  for (const { name, seen } of outcomes)
    for (const text of seen) expect(named(text).filter((other) => other !== name)).toEqual([])
  // Where nothing was restarted, nothing is lost either.
  const restarted = new Set(
    callers.flatMap(({ server, steps }) => (steps.some(({ end }) => end === 'restart') ? [server] : [])),
  )
  for (const [index, { name, owed }] of outcomes.entries()) {
    const { server = 0, steps = [] } = callers[index] ?? {}
    const isWhole = !restarted.has(server) && steps.every(({ end }) => end !== 'leave')
    if (!isWhole) continue
    expect(owed).toHaveLength(steps.filter(({ end }) => end === 'answer').length)
    for (const text of owed) {
      expect(text).toContain(`for ${name}`)
      expect(text).not.toContain('refused')
    }
  }
}

it(
  'every question, log line and answer of ten servers reaches the one of twenty callers that it is for',
  { timeout: full ? 14_400_000 : 300_000 },
  async () => {
    const callers = fc.array(caller, { minLength: CALLERS, maxLength: CALLERS })
    await fc.assert(fc.asyncProperty(callers, play), { numRuns: full ? 1_000 : 3, endOnFailure: true })
  },
)
