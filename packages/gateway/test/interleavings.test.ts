import { obedientServer } from '@toolhaven/testing/mcp-servers/obedient-channel'
import { rotationFrom } from '@toolhaven/testing/rotation'
import { afterAll, beforeAll, expect, it } from 'vitest'
import * as z from 'zod'
import { fc } from '@toolhaven/testing/properties'
import { NAME, never, startGateway, type TestGateway } from './support/gateway.ts'
import { RawClient, type RawFront } from './support/raw-client.ts'

const { full } = rotationFrom(process.env)

let test: TestGateway
let control: RawClient
beforeAll(async () => {
  test = await startGateway()
  await test.open()
  const child = obedientServer()
  test.defer(() => child.kill())
  await test.gateway.connect(NAME, { kind: 'stdio', channel: child.channel, processId: 'p', start: child.start }, never)
  control = new RawClient(test, 'http', 'control')
  await control.connect({})
})
afterAll(async () => {
  await control.leave()
  await test[Symbol.asyncDispose]()
})

const step = fc.constantFrom('progress', 'ask', 'touch')
const call = fc.record({
  before: fc.array(step, { maxLength: 2 }),
  after: fc.array(step, { maxLength: 2 }),
  end: fc.constantFrom('release', 'release', 'cancel'),
  isStubborn: fc.boolean(),
})
const client = fc.record({
  front: fc.constantFrom<RawFront>('http', 'sse'),
  canAnswer: fc.boolean(),
  leaves: fc.oneof({ weight: 3, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
  calls: fc.array(call, { minLength: 1, maxLength: 3 }),
})
type ClientPlan = typeof client extends fc.Arbitrary<infer Plan> ? Plan : never
const scenario = fc.record({
  clients: fc.array(client, { minLength: 2, maxLength: 4 }),
  /** The order in which things happen to the calls. */
  order: fc.infiniteStream(fc.nat({ max: 1_000 })),
})

/** One client of a scenario with its calls: all clients use the ids 1, 2, 3, and those as progress tokens. */
interface Part {
  plan: ClientPlan
  client: RawClient
  hasLeft: boolean
}

const answered = z.looseObject({
  content: z.tuple([z.looseObject({ text: z.string() })]),
})
const said = z.object({ tag: z.string(), heard: z.array(z.string()) })

let scenarios = 0

async function begin(plan: ClientPlan, index: number): Promise<Part> {
  const part = { plan, client: new RawClient(test, plan.front, `s${scenarios}c${index}`), hasLeft: false }
  await part.client.connect(plan.canAnswer ? { sampling: {} } : {})
  const uri = `memo://${part.client.name}`
  const subscribed = part.client.until(() => part.client.responses.length > 0)
  await part.client.send({ id: 1, method: 'resources/subscribe', params: { uri } })
  await subscribed
  part.client.responses.length = 0
  return part
}

const tagOf = ({ client: { name } }: Part, id: number) => `${name}/${id}`

/** Resolves when the server is working on it. */
async function start(
  part: Part,
  { before, after, isStubborn }: ClientPlan['calls'][number],
  id: number,
): Promise<void> {
  const steps = ['progress', ...before, 'hold', ...after]
  const params = { name: 'obey', arguments: { tag: tagOf(part, id), steps, isStubborn }, _meta: { progressToken: id } }
  // Ended by a disconnect, it may fail in any way: only what arrived counts.
  void part.client.send({ id, method: 'tools/call', params }).catch(() => undefined)
  await part.client.until(() => part.client.progress.some(({ token }) => token === id))
}

const release = (tag: string) =>
  control.send({ id: `release ${tag}`, method: 'tools/call', params: { name: 'release', arguments: { tag } } })

async function finish(part: Part, { end, isStubborn }: ClientPlan['calls'][number], id: number): Promise<void> {
  if (part.hasLeft) return
  if (end === 'release') return release(tagOf(part, id))
  await part.client.send({ method: 'notifications/cancelled', params: { requestId: id } })
  if (isStubborn) await release(tagOf(part, id))
}

async function leave(part: Part): Promise<void> {
  part.hasLeft = true
  await part.client.leave()
}

/** How many answers are still to come. */
function owed({ plan, client: { responses }, hasLeft }: Part): number {
  return hasLeft ? 0 : plan.calls.filter(({ end }) => end === 'release').length - responses.length
}

/**
 * How often the server reports a change to what the client subscribed to. A call that gives up when it is cancelled may
 * still be at a question then, before what comes after it.
 */
function changes({ calls }: ClientPlan): { least: number; most: number } {
  const steps = calls.flatMap(({ before, after, end, isStubborn }) => {
    if (end === 'release' || isStubborn) return [...before, ...after].map((each) => ({ each, isSure: true }))
    const firstAsk = before.indexOf('ask')
    return before.map((each, index) => ({ each, isSure: firstAsk === -1 || index < firstAsk }))
  })
  const touches = steps.filter(({ each }) => each === 'touch')
  return { least: touches.filter(({ isSure }) => isSure).length, most: touches.length }
}

function check(part: Part): void {
  const { plan, client } = part
  const answers = client.responses.map(({ id, result, error }) => {
    expect(error).toBeUndefined()
    return { id, ...said.parse(JSON.parse(answered.parse(result).content[0].text)) }
  })
  expect(answers.map(({ id, tag }) => [id, tag])).toEqual(answers.map(({ id }) => [id, tagOf(part, Number(id))]))
  const released = plan.calls.flatMap(({ end }, index) => (end === 'release' ? [index + 1] : []))
  const ids = answers.map(({ id }) => Number(id)).toSorted((a, b) => a - b)
  if (part.hasLeft) expect(released).toEqual(expect.arrayContaining(ids))
  else expect(ids).toEqual(released)
  for (const { tag, heard } of answers)
    for (const answer of heard) expect(answer).toMatch(new RegExp(`^(refused|\\S+ answers q\\d+ of ${tag})$`))
  for (const { token, message } of client.progress) expect(message).toBe(tagOf(part, Number(token)))
  if (!part.hasLeft) expect(client.refusals).toEqual([])
  if (!part.hasLeft) expect(client.updates.length).toBeGreaterThanOrEqual(changes(plan).least)
  expect(client.updates.length).toBeLessThanOrEqual(changes(plan).most)
  for (const uri of client.updates) expect(uri).toMatch(new RegExp(`^memo://${client.name}/`))
  if (!plan.canAnswer) expect(client.questions).toEqual([])
}

async function play({ clients, order }: { clients: ClientPlan[]; order: fc.Stream<number> }): Promise<void> {
  scenarios++
  const parts = await Promise.all(clients.map(begin))
  const calls = parts.flatMap((part) => part.plan.calls.map((plan, index) => ({ part, plan, id: index + 1 })))
  await Promise.all(calls.map(({ part, plan, id }) => start(part, plan, id)))
  const events = [
    ...calls.map(
      ({ part, plan, id }) =>
        () =>
          finish(part, plan, id),
    ),
    ...parts.filter(({ plan }) => plan.leaves).map((part) => () => leave(part)),
  ]
  const ranks = [...order.take(events.length)]
  const shuffled = events
    .map((event, index) => ({ event, rank: ranks[index] ?? 0 }))
    .toSorted((a, b) => a.rank - b.rank)
  // An odd rank waits until the former event is through; an even one comes on top of it.
  let former = Promise.resolve()
  for (const { event, rank } of shuffled) {
    if (rank % 2 === 1) await former
    former = Promise.all([former, event()]).then(() => undefined)
  }
  await former
  await Promise.all(parts.map((part) => part.client.until(() => owed(part) <= 0)))
  // A late wrong message would arrive before this.
  await Promise.all(
    parts.filter(({ hasLeft }) => !hasLeft).map(({ client: c }) => c.send({ id: 'last', method: 'ping' })),
  )
  for (const part of parts) {
    if (!part.hasLeft) await part.client.until(() => part.client.responses.some(({ id }) => id === 'last'))
    if (!part.hasLeft) await part.client.until(() => part.client.updates.length >= changes(part.plan).least)
    part.client.responses.splice(0, Infinity, ...part.client.responses.filter(({ id }) => id !== 'last'))
    check(part)
  }
  const questions = parts.flatMap(({ client: { questions: asked } }) => asked)
  expect(questions).toHaveLength(new Set(questions).size)
  await Promise.all(parts.filter(({ hasLeft }) => !hasLeft).map(leave))
}

it(
  'every answer, question, report of progress and update reaches exactly the client it is for',
  { timeout: full ? 3_600_000 : 300_000 },
  async () => {
    await fc.assert(fc.asyncProperty(scenario, play), {
      numRuns: full ? 1_000 : 20,
      endOnFailure: true,
    })
  },
)
