import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { startGateway, type TestGateway } from '../../../test/support/gateway.ts'
import { postModern } from '../../../test/support/modern-post.ts'
import { openSse, type SseClient } from '../../../test/support/sse-client.ts'
import { TokenBucket } from './token-bucket.ts'

async function open(limits: {
  requestsPerMinute?: number
  clientRequestsPerMinute?: number
  maxMessageBytes?: number
}) {
  const test = await startGateway()
  await test.open({ limits })
  await test.run()
  return test
}

async function initialize(test: TestGateway, padding = ''): Promise<Response> {
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't', version: '1' }, padding }
  return post(test, { jsonrpc: '2.0', id: 1, method: 'initialize', params })
}

function post(test: TestGateway, body: object, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${test.origin}/mcp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
    body: JSON.stringify(body),
  })
}

/** Posts without a Content-Length that could be checked beforehand. */
function postChunks(test: TestGateway, body: string): Promise<{ status: number | undefined; text: string }> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', accept: 'application/json', 'transfer-encoding': 'chunked' }
    const sent = request(`${test.origin}/mcp`, { method: 'POST', headers }, (response) => {
      text(response).then((said) => resolve({ status: response.statusCode, text: said }), reject)
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

const list = (test: TestGateway, session: string) =>
  post(test, { jsonrpc: '2.0', id: 2, method: 'tools/list' }, { 'mcp-session-id': session })

describe('limits of a workload', () => {
  it('refuse what is more than all clients together may send', async () => {
    await using test = await open({ requestsPerMinute: 3 })
    const answers = [await initialize(test), await initialize(test), await initialize(test), await initialize(test)]
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 429])
    expect(answers[3]?.headers.get('retry-after')).toMatch(/^(20|1\d)$/)
    expect(await answers[3]?.json()).toEqual({
      jsonrpc: '2.0',
      id: null,
      error: { code: -32_000, message: expect.stringContaining('may send 3 requests per minute. Try again in') },
    })
    expect((await fetch(`${test.origin}/health`)).status).toBe(200)
  })

  it('refuse one client and leave the others alone', async () => {
    await using test = await open({ clientRequestsPerMinute: 2 })
    const [one, two] = [await initialize(test), await initialize(test)].map(
      (response) => response.headers.get('mcp-session-id') ?? '',
    )
    const statuses = []
    for (let i = 0; i < 3; i++) statuses.push((await list(test, one ?? '')).status)
    expect(statuses).toEqual([200, 200, 429])
    expect((await list(test, two ?? '')).status).toBe(200)
  })

  it.each([
    ['session id', (value: string) => ({ 'mcp-session-id': value })],
    ['token nobody checks', (value: string) => ({ authorization: `Bearer ${value}` })],
  ])('are not lifted by a made-up %s', async (_what, headers) => {
    await using test = await open({ clientRequestsPerMinute: 2 })
    const statuses = []
    for (let i = 0; i < 4; i++)
      statuses.push((await postModern(test, 'tools/list', {}, { headers: headers(`x${i}`) })).status)
    expect(statuses).toEqual([200, 200, 429, 429])
  })

  it('are not lifted by a session id that the request has no use for', async () => {
    await using test = await open({ clientRequestsPerMinute: 2 })
    const session = (await initialize(test)).headers.get('mcp-session-id') ?? ''
    const statuses = []
    for (let i = 0; i < 2; i++)
      statuses.push((await postModern(test, 'tools/list', {}, { headers: { 'mcp-session-id': session } })).status)
    expect(statuses).toEqual([200, 429])
    expect((await list(test, session)).status).toBe(200)
  })

  it('count a session of the oldest transport by its own id', async () => {
    await using test = await open({ clientRequestsPerMinute: 2 })
    const [one, two] = [await openSse(test), await openSse(test)]
    const say = async ({ path }: SseClient, made: string) => {
      const headers = { 'content-type': 'application/json', 'mcp-session-id': made }
      const body = JSON.stringify({ jsonrpc: '2.0', id: made, method: 'tools/list' })
      return (await fetch(`${test.origin}${path}`, { method: 'POST', headers, body })).status
    }
    expect([await say(one, 'a'), await say(one, 'b'), await say(one, 'c')]).toEqual([202, 202, 429])
    expect(await say(two, 'a')).toBe(202)
  })

  it('count a call of the revision without sessions once', async () => {
    await using test = await open({ clientRequestsPerMinute: 3 })
    const statuses = []
    const said = []
    for (let i = 0; i < 4; i++) {
      const params = { name: 'echo', arguments: { text: 'hello' } }
      const response = await postModern(test, 'tools/call', params)
      statuses.push(response.status)
      said.push(await response.text())
    }
    expect(statuses).toEqual([200, 200, 200, 429])
    expect(said.filter((text) => text.includes('hello'))).toHaveLength(3)
  })

  it('count the requests of a batch one by one', async () => {
    await using test = await open({ requestsPerMinute: 4 })
    const params = { protocolVersion: '2025-03-26', capabilities: {}, clientInfo: { name: 't', version: '1' } }
    const session = (await post(test, { jsonrpc: '2.0', id: 1, method: 'initialize', params })).headers.get(
      'mcp-session-id',
    )
    const batch = [1, 2, 3, 4].map((id) => ({ jsonrpc: '2.0', id, method: 'tools/list' }))
    const response = await post(test, batch, { 'mcp-session-id': session ?? '', accept: 'application/json' })
    const said = await response.text()
    expect(said.match(/"tools":/g)).toHaveLength(3)
    expect(said.match(/may send 4 requests per minute/g)).toHaveLength(1)
  })

  it('refuse a message that is too large, announced or not', async () => {
    await using test = await open({ maxMessageBytes: 2000 })
    expect((await initialize(test)).status).toBe(200)
    expect((await initialize(test, 'x'.repeat(2000))).status).toBe(413)
    const unannounced = await postChunks(test, 'x'.repeat(3000))
    expect(unannounced).toMatchObject({ status: 413, text: expect.stringContaining('2000 bytes') })
  })

  it('are changed in place', async () => {
    await using test = await open({ requestsPerMinute: 1 })
    expect([(await initialize(test)).status, (await initialize(test)).status]).toEqual([200, 429])
    await test.open({ limits: {} })
    expect([(await initialize(test)).status, (await initialize(test)).status]).toEqual([200, 200])
  })
})

it('a bucket fills up again with time, and not over its brim', () => {
  let now = 0
  const bucket = new TokenBucket(60, () => now)
  for (let i = 0; i < 60; i++) expect(bucket.take()).toBe(true)
  expect(bucket.take()).toBe(false)
  expect(bucket.waitMs()).toBeCloseTo(1000)
  now = 1000
  expect([bucket.take(), bucket.take()]).toEqual([true, false])
  now = 1_000_000
  let taken = 0
  while (bucket.take()) taken += 1
  expect(taken).toBe(60)
})
