import { queryObjects } from 'node:v8'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freePort } from '@toolhaven/testing/free-port'
import { sample } from '@toolhaven/testing/rotation'
import { CLIENTS, connectClient, NAME, never, startGateway, type TestGateway } from './support/gateway.ts'
import { ModernBackend } from '../src/servers/stateless/modern-backend.ts'
import { modernServer, startModernServer } from '@toolhaven/testing/mcp-servers/child-channel'

const BACKS = [
  'stdio modern',
  'stdio dual',
  'streamable-http modern',
  'streamable-http dual',
  'sse modern',
  'sse dual',
] as const
type Back = (typeof BACKS)[number]
const SAMPLED = sample(BACKS, 2)

let processes = 0

/** A busy machine must not make a server look like one of the older era. */
const PATIENT = { probeMs: 50_000, sseProbeMs: 50_000 }

/** A server of the newest revision behind the endpoint. */
async function serve(
  test: TestGateway,
  back: Back,
  args: readonly string[] = [],
): Promise<{ kill: () => Promise<void> }> {
  const [transport, era] = back.split(' ')
  const processId = `modern-${++processes}`
  if (transport === 'sse' || transport === 'streamable-http') {
    const server = await startModernServer([`--era=${era}`, ...args], transport)
    test.defer(() => server.kill())
    await test.gateway.connect(NAME, { kind: 'http', transport, url: server.url, processId }, never)
    return server
  }
  const child = modernServer([`--era=${era}`, ...args])
  test.defer(() => child.kill())
  await test.gateway.connect(NAME, { kind: 'stdio', channel: child.channel, processId, start: child.start }, never)
  return child
}

describe.each(SAMPLED)('a server over %s', (back) => {
  let test: TestGateway
  beforeAll(async () => {
    test = await startGateway({ limits: PATIENT })
    await test.open()
    await serve(test, back)
  })
  afterAll(() => test[Symbol.asyncDispose]())

  it('is spoken to without sessions', async () => {
    const client = await connectClient(test, 'v1 http')
    expect(JSON.parse(await client.call('stats'))).toMatchObject({ era: 'modern' })
    await test.gateway.ping(NAME, never)
  })

  describe.each(CLIENTS)('seen by the client %s', (kind) => {
    it('lists and calls tools, small and large', async () => {
      const client = await connectClient(test, kind)
      expect(await client.tools()).toContain('echo')
      expect(await client.call('echo', { text: 'héllo\u2028' })).toBe('héllo\u2028')
      expect(await client.call('blob', { bytes: 1_000_000 })).toHaveLength(1_000_000)
      expect(await client.call('size', { text: 'y'.repeat(1_000_000) })).toBe('1000000')
      const wanted = Array.from({ length: 50 }, (_, i) => `text ${i}`)
      expect(await Promise.all(wanted.map((text) => client.call('echo', { text })))).toEqual(wanted)
    })

    it('passes progress of its own calls', async () => {
      const client = await connectClient(test, kind)
      const seen: number[] = []
      const onprogress = ({ progress }: { progress: number }) => seen.push(progress)
      // Held back: the SDK forgets the listener as soon as it has the answer.
      const call = client.call('progress', { steps: 5, text: 'p', hold: true }, { onprogress })
      await expect.poll(() => seen, { timeout: 20_000 }).toEqual([1, 2, 3, 4, 5])
      await client.call('release')
      expect(await call).toBe('p')
    })

    it('is asked for sampling, elicitation and roots by the calls it made', async () => {
      const other = await connectClient(test, 'v1 http', () => 'wrong client')
      const client = await connectClient(test, kind, (method) => `mine:${method}`)
      expect(await client.call('sample', { text: 'q' })).toContain('mine:sampling')
      expect(await client.call('elicit', { text: 'q' })).toContain('mine:elicitation')
      expect(await client.call('roots')).toContain('mine:roots')
      expect(await other.call('sample', { text: 'q' })).toContain('wrong client')
    })

    it('is asked several things, and again, and the state of the server comes back as it was', async () => {
      const client = await connectClient(test, kind, (method, text) => `${method}:${text}`)
      const answer = await client.call('interview')
      expect(answer).toContain('elicitation:first')
      expect(answer).toContain('roots:')
      expect(answer).toContain('elicitation:third')
      expect(await client.call('later')).toBe('after 2')
    })

    it('gets an error when it cannot answer the server', async () => {
      const client = await connectClient(test, kind)
      await expect(client.call('sample', { text: 'q' })).rejects.toThrow()
    })

    it('cancels its call at the server', async () => {
      const client = await connectClient(test, kind)
      const stats = async () => JSON.parse(await client.call('stats'))
      const before = await stats()
      const abort = new AbortController()
      const call = client.call('sleep', { ms: 60_000 }, { signal: abort.signal })
      await expect.poll(async () => (await stats()).sleeping).toBe(before.sleeping + 1)
      abort.abort('enough')
      await expect(call).rejects.toThrow()
      await expect.poll(async () => (await stats()).cancelled).toBe(before.cancelled + 1)
    })

    it('may call a tool whose parameters are repeated in headers', async () => {
      const client = await connectClient(test, kind)
      await client.tools()
      expect(await client.call('region', { region: 'Zürich ' })).toBe('in Zürich ')
    })
  })
})

describe.each(SAMPLED)('a server over %s that is restarted', (back) => {
  it('keeps its clients', async () => {
    await using test = await startGateway({ limits: PATIENT })
    await test.open()
    const first = await serve(test, back)
    const clients = await Promise.all(CLIENTS.map((kind) => connectClient(test, kind, () => 'mine')))
    const before = await clients[0]?.call('pid')
    await first.kill()
    await serve(test, back)
    for (const client of clients) expect(await client.call('sample', { text: 'q' })).toContain('mine')
    expect(await clients[0]?.call('pid')).not.toBe(before)
  })

  it('that dies in the middle of a call gives one error to its callers', async () => {
    await using test = await startGateway({ limits: { ...PATIENT, backendWaitMs: 100 } })
    await test.open()
    await serve(test, back)
    const [a, b] = [await connectClient(test, 'v1 http'), await connectClient(test, 'v2 modern')]
    const outcomes = await Promise.allSettled([b.call('sleep', { ms: 60_000 }), a.call('crash')])
    expect(outcomes).toMatchObject([{ reason: { code: -32_000 } }, { reason: { code: -32_000 } }])
  })
})

describe.each(['streamable-http modern', 'sse modern'] as const)(
  'a server over %s that comes back on its own',
  (back) => {
    it('is used again at the same address, by who called while it was away as well', async () => {
      await using test = await startGateway({ limits: { ...PATIENT, backendWaitMs: 60_000 } })
      await test.open()
      const port = `--port=${await freePort()}`
      const first = await serve(test, back, [port])
      const clients = await Promise.all((['v1 http', 'v2 modern'] as const).map((kind) => connectClient(test, kind)))
      await first.kill()
      await expect(test.gateway.ping(NAME, AbortSignal.timeout(5000))).rejects.toThrow()
      const calls = clients.map((client) => client.call('echo', { text: 'back' }))
      const second = await startModernServer([port], back === 'sse modern' ? 'sse' : 'streamable-http')
      test.defer(() => second.kill())
      expect(await Promise.all(calls)).toEqual(['back', 'back'])
      expect(test.lost.length).toBeGreaterThan(0)
    })
  },
)

it('nothing is kept of a process that was listened to when it ended', async () => {
  await using test = await startGateway({ limits: PATIENT })
  await test.open()
  const alive = () => Number(queryObjects(ModernBackend))
  const before = alive()
  for (const life of [1, 2, 3]) {
    const server = await serve(test, 'stdio modern')
    const client = await connectClient(test, 'v1 http')
    await client.tools()
    await server.kill()
    await expect.poll(() => test.lost.length).toBe(life)
  }
  await serve(test, 'stdio modern')
  // This one, and perhaps the last.
  expect(alive() - before).toBeLessThanOrEqual(2)
})
