import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CLIENTS, connectClient, startGateway, type TestGateway } from './support/gateway.ts'

it('a client that tries the newest protocol era first falls back to a session', async () => {
  await using test = await startGateway()
  await test.open()
  await test.run()
  const client = new Client({ name: 'auto', version: '1' }, { versionNegotiation: { mode: 'auto' } })
  test.defer(() => client.close())
  await client.connect(new StreamableHTTPClientTransport(new URL(`${test.origin}/mcp`)))
  expect((await client.listTools()).tools.map((tool) => tool.name)).toContain('echo')
})

describe.each(CLIENTS)('a stdio server seen by the client %s', (kind) => {
  let test: TestGateway
  beforeAll(async () => {
    test = await startGateway()
    await test.open()
    await test.run()
  })
  afterAll(() => test[Symbol.asyncDispose]())

  it('lists and calls tools', async () => {
    const client = await connectClient(test, kind)
    expect(await client.tools()).toContain('echo')
    expect(await client.call('echo', { text: 'héllo\u2028' })).toBe('héllo\u2028')
    expect(await client.call('add', { a: 2, b: 3 })).toBe('5')
  })

  it('passes progress of its own calls', async () => {
    const client = await connectClient(test, kind)
    const seen: number[] = []
    // Held back: the SDK forgets the listener as soon as it has the answer.
    const call = client.call(
      'progress',
      { steps: 5, text: 'p', hold: true },
      { onprogress: ({ progress }) => seen.push(progress) },
    )
    await expect.poll(() => seen, { timeout: 20_000 }).toEqual([1, 2, 3, 4, 5])
    await client.call('release')
    expect(await call).toBe('p')
  })

  it('carries 2 MB both ways', async () => {
    const client = await connectClient(test, kind)
    expect(await client.call('blob', { bytes: 2_000_000 })).toHaveLength(2_000_000)
    expect(await client.call('size', { text: 'y'.repeat(2_000_000) })).toBe('2000000')
  })

  it('answers 100 parallel calls each with its own result', async () => {
    const client = await connectClient(test, kind)
    const wanted = Array.from({ length: 100 }, (_, i) => `text ${i}`)
    expect(await Promise.all(wanted.map((text) => client.call('echo', { text })))).toEqual(wanted)
  })

  it('is asked for sampling, elicitation and roots by the calls it made', async () => {
    // Another process: in one that other clients have just called, nobody is asked.
    await test.run()
    const other = await connectClient(test, 'v1 http', () => 'wrong client')
    const client = await connectClient(test, kind, (method) => `mine:${method}`)
    expect(await client.call('sample', { text: 'q' })).toContain('mine:sampling')
    expect(await client.call('elicit', { text: 'q' })).toContain('mine:elicitation')
    expect(await client.call('roots')).toContain('mine:roots')
    expect(await other.call('sample', { text: 'q' })).toContain('several clients share this server')
  })

  it('gets an error on its behalf when it cannot answer the server', async () => {
    await test.run()
    await connectClient(test, 'v1 http', () => 'somebody else')
    const client = await connectClient(test, kind)
    expect(await client.call('sample', { text: 'private' })).toContain('-32601')
  })

  it('cancels its call at the server', async () => {
    const client = await connectClient(test, kind)
    const abort = new AbortController()
    const call = client.call('sleep', { ms: 60_000 }, { signal: abort.signal })
    const stats = async () => JSON.parse(await client.call('stats'))
    await expect.poll(async () => (await stats()).sleeping).toBe(1)
    abort.abort('enough')
    await expect(call).rejects.toThrow()
    await expect.poll(async () => (await stats()).cancelled).toBe(1)
  })
})
