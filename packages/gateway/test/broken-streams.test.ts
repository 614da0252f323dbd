import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventsOf, type TestEvent } from './support/events.ts'
import { freePort } from '@toolhaven/testing/free-port'
import { connectClient, NAME, never, startGateway, type TestGateway } from './support/gateway.ts'

let test: TestGateway
beforeAll(async () => {
  test = await startGateway({ limits: { resumeMs: 3_600_000, maxQueuedMessages: 20 } })
  await test.open()
  await test.run()
})
afterAll(() => test[Symbol.asyncDispose]())

type Headers = Record<string, string>
const STREAM = { accept: 'text/event-stream' }

function post(
  method: string,
  params: object,
  headers: Headers,
  signal: AbortSignal = never,
  on = test,
): Promise<Response> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const all = { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers }
  return fetch(`${on.origin}/mcp`, { method: 'POST', headers: all, body, signal })
}

async function session(version = '2025-11-25', on = test): Promise<Headers> {
  const clientInfo = { name: 'raw', version: '0' }
  const params = { protocolVersion: version, capabilities: { sampling: {} }, clientInfo }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params })
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
  const response = await fetch(`${on.origin}/mcp`, { method: 'POST', headers, body })
  await response.text()
  return { 'mcp-session-id': response.headers.get('mcp-session-id') ?? '', 'mcp-protocol-version': version }
}

const call = (name: string, args: object, headers: Headers, signal?: AbortSignal, on = test) =>
  post('tools/call', { name, arguments: args, _meta: { progressToken: 't' } }, headers, signal, on)

const release = async () => (await call('release', {}, await session())).text()

const resume = (headers: Headers, lastEventId = '', on = test) =>
  fetch(`${on.origin}/mcp`, { headers: { ...headers, ...STREAM, 'last-event-id': lastEventId } })

async function read(response: Response): Promise<TestEvent[]> {
  const found: TestEvent[] = []
  for await (const event of eventsOf(response)) found.push(event)
  return found
}

/** A call that waits to be released, and its first events. The connection is gone afterwards. */
async function broken(headers: Headers, count: number): Promise<TestEvent[]> {
  const gone = new AbortController()
  const events = eventsOf(await call('progress', { steps: 2, text: 'rest', hold: true }, headers, gone.signal))
  const found: TestEvent[] = []
  while (found.length < count) {
    const next = await events.next()
    if (next.done) break
    found.push(next.value)
  }
  gone.abort()
  return found
}

const said = (events: readonly TestEvent[]) =>
  events.map(({ data }) => {
    const { params, result } = JSON.parse(data)
    return params?.progress ?? result?.content[0].text
  })

describe('a client whose connection broke in the middle of an answer', () => {
  it('comes back for the rest, and the call went on meanwhile', async () => {
    const headers = await session()
    const seen = await broken(headers, 2)
    expect(seen[0]).toMatchObject({ id: expect.stringMatching(/^[0-9a-f]{12}-\d+-0$/), data: '' })
    await release()
    const rest = await resume(headers, seen[1]?.id)
    expect(rest.headers.get('content-type')).toBe('text/event-stream')
    expect(said(await read(rest))).toEqual([2, 'rest'])
  })

  it('comes back with the first id it was given, before anything was said', async () => {
    const headers = await session()
    const [first] = await broken(headers, 1)
    const [rest] = await Promise.all([resume(headers, first?.id).then(read), release()])
    expect(said(rest)).toEqual([1, 2, 'rest'])
  })

  it('comes back as often as it has to', async () => {
    const headers = await session()
    const [first, second] = await broken(headers, 2)
    const again = new AbortController()
    const lost = await fetch(`${test.origin}/mcp`, {
      headers: { ...headers, ...STREAM, 'last-event-id': first?.id ?? '' },
      signal: again.signal,
    })
    await eventsOf(lost).next()
    again.abort()
    await release()
    expect(said(await read(await resume(headers, second?.id)))).toEqual([2, 'rest'])
    // Nobody knows whether it arrived this time.
    expect(said(await read(await resume(headers, second?.id)))).toEqual([2, 'rest'])
  })

  it('is asked there what the server wants to know', async () => {
    // The server that the other tests share has clients whose calls ended recently, so nobody may be asked there.
    await using own = await startGateway()
    await own.open()
    await own.run()
    const headers = await session('2025-11-25', own)
    const gone = new AbortController()
    const events = eventsOf(await call('sample', { text: 'who' }, headers, gone.signal, own))
    const first = (await events.next()).value
    gone.abort()
    const rest = eventsOf(await resume(headers, first?.id, own))
    const question = JSON.parse((await rest.next()).value?.data ?? '')
    expect(question).toMatchObject({ method: 'sampling/createMessage' })
    const result = { model: 'm', role: 'assistant', content: { type: 'text', text: 'me' } }
    const answer = JSON.stringify({ jsonrpc: '2.0', id: question.id, result })
    const all = { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers }
    expect((await fetch(`${own.origin}/mcp`, { method: 'POST', headers: all, body: answer })).status).toBe(202)
    expect((await rest.next()).value?.data).toContain('me')
  })

  it('keeps its own stream meanwhile', async () => {
    const headers = await session()
    const own = eventsOf(await fetch(`${test.origin}/mcp`, { headers: { ...headers, ...STREAM } }))
    const [first] = await broken(headers, 1)
    await release()
    await read(await resume(headers, first?.id))
    const [news] = await Promise.all([own.next(), call('relist', {}, headers).then((response) => response.text())])
    expect(news.value?.data).toContain('list_changed')
  })

  it('of an older revision gets ids to come back with, and no event without a message', async () => {
    const headers = await session('2025-06-18')
    const [first] = await broken(headers, 1)
    expect(said([first ?? { id: '', retry: undefined, data: '{}' }])).toEqual([1])
    await release()
    expect(said(await read(await resume(headers, first?.id)))).toEqual([2, 'rest'])
  })
})

describe('the rest of an answer', () => {
  it('is for the session it belongs to, and for no other', async () => {
    const [mine, others] = [await session(), await session()]
    const [first] = await broken(mine, 1)
    await release()
    const refused = await resume(others, first?.id)
    expect(refused.status).toBe(400)
    expect(await refused.json()).toMatchObject({ id: null, error: { code: -32_600 } })
    expect(said(await read(await resume(mine, first?.id)))).toEqual([1, 2, 'rest'])
  })

  it.each(['000000000000-1-0', 'ffffffffffff-999999999999999999999-1'])('%s is of nobody', async (id) => {
    expect((await resume(await session(), id)).status).toBe(400)
  })

  it('is not waited for when its call was cancelled', async () => {
    const headers = await session()
    const [first] = await broken(headers, 1)
    const rest = eventsOf(await resume(headers, first?.id))
    // Reads both before the call is cancelled: what the server sends afterwards reaches nobody.
    expect(said([(await rest.next()).value!, (await rest.next()).value!])).toEqual([1, 2])
    const all = { 'content-type': 'application/json', accept: 'application/json', ...headers }
    const params = { requestId: 1 }
    const body = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params })
    await fetch(`${test.origin}/mcp`, { method: 'POST', headers: all, body })
    expect(await rest.next()).toMatchObject({ done: true })
    expect((await resume(headers, first?.id)).status).toBe(400)
    await release()
  })

  it('loses its oldest events first when it is too much to keep, and its client learns so', async () => {
    const headers = await session()
    const all = await read(await call('progress', { steps: 100, text: 'end' }, headers))
    expect(all).toHaveLength(102)
    const refused = await resume(headers, all[0]?.id)
    expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining('no longer kept')])
    const kept = said(await read(await resume(headers, all.at(-21)?.id)))
    expect(kept).toHaveLength(20)
    expect(kept.at(-1)).toBe('end')
  })

  it('is forgotten after its time', async () => {
    await using short = await startGateway({ limits: { resumeMs: 1 } })
    await short.open()
    await short.run()
    const headers = await session('2025-11-25', short)
    const body = JSON.stringify({
      ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
      params: { name: 'progress', arguments: { steps: 1, text: 'x' }, _meta: { progressToken: 1 } },
    })
    const all = { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers }
    const [first] = await read(await fetch(`${short.origin}/mcp`, { method: 'POST', headers: all, body }))
    await expect.poll(async () => (await resume(headers, first?.id, short)).status).toBe(400)
  })
})

describe('a server that closes the stream of a call', () => {
  /** A gateway whose server makes its client come back once, after 7 ms. */
  async function pollingGateway(): Promise<TestGateway> {
    const own = await startGateway()
    let [called, visits]: [unknown, number] = [undefined, 0]
    const server = createServer(async (request, response: ServerResponse) => {
      const events = { 'content-type': 'text/event-stream' }
      if (request.method !== 'POST') {
        if (request.headers['last-event-id'] === undefined) return response.writeHead(405).end()
        if (++visits === 1) return response.writeHead(200, events).end('id: again\ndata: \n\n')
        const answer = { jsonrpc: '2.0', id: called, result: { content: [{ type: 'text', text: 'at last' }] } }
        return response.writeHead(200, events).end(`id: last\ndata: ${JSON.stringify(answer)}\n\n`)
      }
      let text = ''
      for await (const chunk of request) text += String(chunk)
      const { id, method, params } = JSON.parse(text)
      if (id === undefined) return response.writeHead(202).end()
      if (method === 'tools/call') {
        called = id
        return response.writeHead(200, events).end('id: first\nretry: 7\ndata: \n\n')
      }
      const { protocolVersion } = params ?? {}
      const result = { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } }
      response.writeHead(200, { 'content-type': 'application/json', 'mcp-session-id': 's' })
      return response.end(JSON.stringify({ jsonrpc: '2.0', id, result }))
    })
    const port = await freePort()
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
    own.defer(() => {
      server.closeAllConnections()
      server.close()
    })
    await own.open({ transport: 'streamable-http' })
    const url = `http://127.0.0.1:${port}/mcp`
    await own.gateway.connect(NAME, { kind: 'http', transport: 'streamable-http', url, processId: 'p' }, never)
    return own
  }

  const ask = (on: TestGateway, headers: Headers) =>
    fetch(`${on.origin}/mcp`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'slow' } }),
    })

  it('has a client that knows of it come back as well, with the same pause', async () => {
    await using own = await pollingGateway()
    const headers = await session('2025-11-25', own)
    const closed = await read(await ask(own, headers))
    expect(closed).toEqual([{ id: expect.stringMatching(/-0$/), retry: '7', data: '' }])
    let events: TestEvent[] = []
    for (let visits = 0; visits < 3 && events.every(({ data }) => data === ''); visits++)
      events = await read(await resume(headers, closed[0]?.id, own))
    expect(said(events.filter(({ data }) => data !== ''))).toEqual(['at last'])
  })

  it('does so without a client of an older revision noticing', async () => {
    await using own = await pollingGateway()
    const headers = await session('2025-06-18', own)
    expect(await (await ask(own, headers)).json()).toMatchObject({ result: { content: [{ text: 'at last' }] } })
  })

  it.each(['v1 http', 'v2 http'] as const)('is no trouble for %s', async (kind) => {
    await using own = await pollingGateway()
    const client = await connectClient(own, kind)
    expect(await client.call('slow')).toBe('at last')
  })
})
