import { childServer } from '@toolhaven/testing/mcp-servers/child-channel'
import { rotationFrom, sample } from '@toolhaven/testing/rotation'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { startGateway, type TestGateway } from './support/gateway.ts'
import { runAuto } from './support/isolated.ts'
import { RawModernClient } from './support/modern-client.ts'
import { RawClient } from './support/raw-client.ts'

const { full } = rotationFrom(process.env)

/** What the tests need from a client of any kind. */
interface Asked {
  name: string
  questions: string[]
  sample: (text: string) => Promise<string>
}

const answered = z.looseObject({ content: z.tuple([z.looseObject({ text: z.string() })]) })

async function callTool(client: RawClient, id: string, name: string, args: object = {}): Promise<string> {
  const isAnswer = (response: { id?: unknown }) => response.id === id
  const came = client.until(() => client.responses.some(isAnswer))
  await client.send({ id, method: 'tools/call', params: { name, arguments: args } })
  await came
  const response = client.responses.find(isAnswer)
  const parsed = answered.safeParse(response?.result)
  return parsed.success ? parsed.data.content[0].text : JSON.stringify(response)
}

let calls = 0

async function connect(test: TestGateway, front: 'http' | 'sse', name: string): Promise<Asked & { raw: RawClient }> {
  const raw = new RawClient(test, front, name)
  raw.patienceMs = 200_000
  await raw.connect({ sampling: {}, roots: {} })
  test.defer(() => raw.leave())
  return { name, raw, questions: raw.questions, sample: (text) => callTool(raw, `call-${++calls}`, 'sample', { text }) }
}

async function connectAll(test: TestGateway, front: Front, count: number): Promise<Asked[]> {
  const names = Array.from({ length: count }, (_, index) => `client-${index}`)
  if (front === 'modern') return names.map((name) => new RawModernClient(test, name))
  return Promise.all(names.map((name) => connect(test, front, name)))
}

const FRONTS = ['http', 'sse', 'modern'] as const
type Front = (typeof FRONTS)[number]

async function opened(events: Partial<Parameters<typeof startGateway>[0]> = {}): Promise<TestGateway> {
  const test = await startGateway(events)
  await test.open()
  return test
}

const textsOf = ({ name }: Asked) => ['one', 'two', 'three'].map((text) => `${text} for ${name}`)

function expectOnlyOwn(clients: readonly Asked[]): void {
  for (const { name, questions } of clients)
    expect(questions.filter((text) => !text.endsWith(` for ${name}`))).toEqual([])
}

/** Each call was asked its own question, and got the answer of its own client. */
function expectAll(clients: readonly Asked[], answers: readonly string[][]): void {
  for (const [index, client] of clients.entries())
    for (const [at, text] of textsOf(client).entries())
      expect(answers[index]?.[at]).toContain(`${client.name} answers ${text}`)
}

/** Twenty processes cost seconds: they take turns. */
const crowded = sample(FRONTS, 1)
const countsOf = (front: Front) => [4, ...(crowded.includes(front) ? [20] : []), ...(full ? [100] : [])]

describe.each(FRONTS)('clients over %s that share a server', (front) => {
  it.each(countsOf(front))('are asked what their own calls caused, %i of them', { timeout: 900_000 }, async (count) => {
    await using test = await opened()
    // Stateless calls wait for one another where there are more of them than processes.
    const maxSessions = front === 'modern' ? 10 : count
    await runAuto(test, { own: { maxSessions, idleMs: 600_000 } })
    const clients = await connectAll(test, front, count)
    // Nobody knows yet that the server asks. Some questions may be refused, but none reaches the wrong client.
    await Promise.all(clients.map((client) => client.sample(`first for ${client.name}`)))
    expectOnlyOwn(clients)
    for (const { questions } of clients) questions.length = 0

    const sequential = async (client: Asked) => {
      const answers: string[] = []
      for (const text of textsOf(client)) answers.push(await client.sample(text))
      return answers
    }
    expectAll(clients, await Promise.all(clients.map(sequential)))
    const parallel = (client: Asked) => Promise.all(textsOf(client).map((text) => client.sample(text)))
    expectAll(clients, await Promise.all(clients.map(parallel)))
    expectOnlyOwn(clients)
    expect(clients.map(({ questions }) => questions.length)).toEqual(clients.map(() => 6))
  })

  it('one alone is asked by all of its parallel calls, from the first question on', async () => {
    await using test = await opened()
    await runAuto(test)
    const [client] = await connectAll(test, front, 1)
    if (client === undefined) return
    // A stateless client cannot be told from others: its first question is refused beside another call.
    if (front === 'modern') await client.sample('first')
    for (let round = 0; round < 4; round++) {
      const texts = textsOf(client)
      const answers = await Promise.all(texts.map((text) => client.sample(text)))
      expectAll([client], [answers])
    }
  })
})

it.each(['http', 'sse'] as const)('a server that stays shared asks no wrong client over %s', async (front) => {
  await using test = await opened()
  await test.run()
  const clients = await connectAll(test, front, 4)
  const answers = await Promise.all(clients.map(({ name, sample: ask }) => ask(`alone for ${name}`)))
  for (const client of clients) answers.push(...(await Promise.all(textsOf(client).map((text) => client.sample(text)))))
  expectOnlyOwn(clients)
  // Clients that take turns are not asked: a question may belong to a call that was answered.
  for (const { questions } of clients) expect(questions.filter((text) => !text.startsWith('alone'))).toEqual([])
  for (const answer of answers) expect(answer).toMatch(/ answers |several clients share this server/)
})

describe('a server that asks', () => {
  it('says why when the client that it asks cannot be known', async () => {
    await using test = await opened()
    const { started } = await runAuto(test)
    const [a, b] = [await connect(test, 'http', 'a'), await connect(test, 'http', 'b')]
    const sleeping = callTool(b.raw, 'sleep', 'sleep', { ms: 3_000 })
    const stats = async () => JSON.parse(await callTool(a.raw, `stats-${++calls}`, 'stats'))
    await expect.poll(async () => (await stats()).sleeping).toBe(1)
    expect(await a.sample('who?')).toContain('several clients share this server')
    expect([a.questions, b.questions]).toEqual([[], []])
    expect(await a.sample('and now?')).toContain('a answers and now?')
    // The server that had the calls under way answers them.
    expect(await sleeping).toBe('slept')
    expect(started.length).toBe(2)
  })

  it('keeps what it knows for the one client that it had', async () => {
    await using test = await opened()
    const { started, live } = await runAuto(test)
    const a = await connect(test, 'http', 'a')
    const pid = () => callTool(a.raw, `pid-${++calls}`, 'pid')
    const before = await pid()
    expect(await a.sample('x')).toContain('a answers x')
    expect(await pid()).toBe(before)
    const b = await connect(test, 'http', 'b')
    expect(await callTool(b.raw, 'pid', 'pid')).not.toBe(before)
    expect(await pid()).toBe(before)
    expect(started).toHaveLength(2)
    await a.raw.leave()
    await expect.poll(() => live.size).toBe(1)
  })

  it('is remembered: the workload is told once, and starts apart the next time', async () => {
    const told: string[] = []
    const quiet = () => {}
    const events = {
      onBackendLost: quiet,
      onOutput: quiet,
      onLoginNeeded: quiet,
      onLoggedIn: quiet,
      onOwnNeeded: (name: string) => told.push(name),
    }
    await using test = await opened({ events })
    await runAuto(test)
    const a = await connect(test, 'http', 'a')
    await a.sample('x')
    await a.sample('y')
    expect(told).toEqual(['fixture'])

    const { started } = await runAuto(test, { needsOwn: true })
    // The session continues with its own server.
    expect(await a.sample('again')).toContain('a answers again')
    const b = await connect(test, 'sse', 'b')
    const answers = await Promise.all([a.sample('at once'), b.sample('at once')])
    expect(answers.map((text) => /(\w) answers at once/.exec(text)?.[1])).toEqual(['a', 'b'])
    expect(started).toHaveLength(2)
    expect(told).toEqual(['fixture'])
  })

  it('leaves clients that can answer nothing on one server', async () => {
    await using test = await opened()
    await runAuto(test, { needsOwn: true })
    const mute = await Promise.all(
      ['m', 'n'].map(async (name) => {
        const client = new RawClient(test, 'http', name)
        await client.connect({})
        test.defer(() => client.leave())
        return client
      }),
    )
    const pids = await Promise.all(mute.map((client) => callTool(client, 'pid', 'pid')))
    expect(pids[0]).toMatch(/^\d+$/)
    expect(pids[1]).toBe(pids[0])
    const asker = await connect(test, 'http', 'asker')
    expect(await callTool(asker.raw, 'pid', 'pid')).not.toBe(pids[0])
  })

  it('is not asked in the name of another after a call was cancelled', async () => {
    await using test = await opened()
    await runAuto(test, {}, () => childServer([]))
    const [a, b] = [await connect(test, 'http', 'a'), await connect(test, 'http', 'b')]
    void a.raw.send({ id: 'gone', method: 'tools/call', params: { name: 'sleep', arguments: { ms: 60_000 } } })
    const stats = async () => JSON.parse(await callTool(a.raw, `stats-${++calls}`, 'stats'))
    await expect.poll(async () => (await stats()).sleeping).toBe(1)
    await a.raw.send({ method: 'notifications/cancelled', params: { requestId: 'gone' } })
    // The server may still be working on it: nobody can tell whose question this is.
    expect(await b.sample('whose?')).toContain('several clients share this server')
    expect([a.questions, b.questions]).toEqual([[], []])
  })
})

describe('room for clients with a server of their own', () => {
  const TWO = { needsOwn: true, own: { maxSessions: 2, idleMs: 600_000 } }

  it('is refused with the reason when all is taken, and free again with the stream of a client', async () => {
    await using test = await opened()
    const { live } = await runAuto(test, TWO)
    const [a, b] = [await connect(test, 'http', 'a'), await connect(test, 'http', 'b')]
    await Promise.all([a.sample('x'), b.sample('x')])
    expect(await initialize(test)).toContain('all 2 are taken')
    a.raw.hangUp()
    await expect.poll(() => initialize(test), { timeout: 20_000 }).toContain('serverInfo')
    await expect.poll(() => live.size).toBe(2)
    expect(await b.sample('still there')).toContain('b answers still there')
  })
})

async function initialize({ origin }: TestGateway): Promise<string> {
  const params = {
    protocolVersion: '2025-11-25',
    capabilities: { sampling: {} },
    clientInfo: { name: 'c', version: '1' },
  }
  const response = await fetch(`${origin}/mcp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params }),
  })
  return response.text()
}
