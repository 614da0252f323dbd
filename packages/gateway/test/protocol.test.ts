import { request as httpRequest } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventsOf } from './support/events.ts'
import { startGateway, type TestGateway } from './support/gateway.ts'

let test: TestGateway
beforeAll(async () => {
  test = await startGateway({ limits: { maxMessageBytes: 1_000_000, backendWaitMs: 200 } })
  await test.open()
  await test.run()
})
afterAll(() => test[Symbol.asyncDispose]())

const JSON_HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }

function post(body: unknown, headers: Record<string, string> = {}, path = '/mcp'): Promise<Response> {
  const text = typeof body === 'string' || body instanceof Blob ? body : JSON.stringify(body)
  return fetch(`${test.origin}${path}`, { method: 'POST', headers: { ...JSON_HEADERS, ...headers }, body: text })
}

const initialize = (protocolVersion: string, capabilities: object = {}) => ({
  jsonrpc: '2.0',
  id: 'init',
  method: 'initialize',
  params: { protocolVersion, capabilities, clientInfo: { name: 'raw', version: '0' } },
})
const call = (id: unknown, name: string, args: object = {}, meta?: object) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: args, ...(meta === undefined ? {} : { _meta: meta }) },
})

async function session(version = '2025-11-25', capabilities: object = {}): Promise<Record<string, string>> {
  const response = await post(initialize(version, capabilities))
  const id = response.headers.get('mcp-session-id')
  if (id === null) throw new Error('no session')
  return { 'mcp-session-id': id, 'mcp-protocol-version': version }
}

/** The messages of a stream, up to this many. */
async function events(
  response: Response,
  count: number,
): Promise<{ id: string | undefined; message: { [key: string]: unknown } }[]> {
  const found = []
  for await (const { id, data } of eventsOf(response)) {
    if (data !== '') found.push({ id, message: JSON.parse(data) })
    if (found.length >= count) return found
  }
  return found
}

describe('initialize', () => {
  it.each(['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'])('agrees on revision %s', async (version) => {
    const response = await post(initialize(version))
    expect(response.status).toBe(200)
    expect(response.headers.get('mcp-session-id')).toMatch(/^[\w-]{32,}$/)
    expect(await response.json()).toMatchObject({
      id: 'init',
      result: { protocolVersion: version, serverInfo: { name: 'fixture' }, instructions: 'for tests' },
    })
  })

  it('offers the newest revision to a client that asks for an unknown one', async () => {
    expect(await (await post(initialize('1999-01-01'))).json()).toMatchObject({
      result: { protocolVersion: '2025-11-25' },
    })
  })

  it('reaches the process only once, however many clients come', async () => {
    await Promise.all([session(), session(), session()])
    const stats = await (await post(call(1, 'stats'), await session())).json()
    expect(JSON.parse(stats.result.content[0].text)).toMatchObject({ initialized: 1 })
  })

  it('starts another session when it is sent again', async () => {
    const headers = await session()
    const response = await post(initialize('2025-11-25'), headers)
    expect(response.headers.get('mcp-session-id')).not.toBe(headers['mcp-session-id'])
  })
})

describe('sessions', () => {
  it('are needed', async () => {
    expect((await post(call(1, 'echo'))).status).toBe(400)
    expect((await fetch(`${test.origin}/mcp`, { headers: { accept: 'text/event-stream' } })).status).toBe(400)
  })

  it('must be known', async () => {
    expect((await post(call(1, 'echo'), { 'mcp-session-id': 'x'.repeat(32) })).status).toBe(404)
  })

  it('end with DELETE', async () => {
    const headers = await session()
    expect((await fetch(`${test.origin}/mcp`, { method: 'DELETE', headers })).status).toBe(204)
    expect((await post(call(1, 'echo'), headers)).status).toBe(404)
    expect((await fetch(`${test.origin}/mcp`, { method: 'DELETE', headers })).status).toBe(404)
  })

  it('refuse an unsupported protocol version', async () => {
    expect((await post(call(1, 'echo'), { ...(await session()), 'mcp-protocol-version': '2020-01-01' })).status).toBe(
      400,
    )
  })

  it('of the two transports do not mix', async () => {
    const headers = await session()
    expect((await post(call(1, 'echo'), {}, `/messages?sessionId=${headers['mcp-session-id']}`)).status).toBe(404)
    expect((await post(call(1, 'echo'), {}, '/messages')).status).toBe(400)
  })
})

describe('answers', () => {
  it('are plain JSON when nothing comes before them', async () => {
    const response = await post(call('a', 'echo', { text: 'x' }), await session())
    expect(response.headers.get('content-type')).toBe('application/json')
    expect(await response.json()).toMatchObject({ id: 'a', result: { content: [{ text: 'x' }] } })
  })

  it('are a stream when progress comes before them, with the token of the client', async () => {
    const response = await post(call(7, 'progress', { steps: 3, text: 'p' }, { progressToken: 'tok' }), await session())
    expect(response.headers.get('content-type')).toBe('text/event-stream')
    const messages = (await events(response, 9)).map((event) => event.message)
    expect(messages).toHaveLength(4)
    expect(messages.slice(0, 3)).toMatchObject(
      [1, 2, 3].map((progress) => ({ params: { progressToken: 'tok', progress } })),
    )
    expect(messages[3]).toMatchObject({ id: 7 })
  })

  it('are plain JSON for a client that takes nothing else; the rest waits for its own stream', async () => {
    const headers = { ...(await session()), accept: 'application/json' }
    const response = await post(call(7, 'progress', { steps: 2, text: 'p' }, { progressToken: 5 }), headers)
    expect(await response.json()).toMatchObject({ id: 7 })
    const stream = await fetch(`${test.origin}/mcp`, { headers: { ...headers, accept: 'text/event-stream' } })
    expect((await events(stream, 2)).map((event) => event.message)).toMatchObject([
      { params: { progressToken: 5, progress: 1 } },
      { params: { progress: 2 } },
    ])
  })

  it('are streams for a client that names them first, open before there is an answer', async () => {
    const accept = { accept: 'text/event-stream, application/json' }
    const welcome = await post(initialize('2025-11-25'), accept)
    expect(welcome.headers.get('content-type')).toContain('text/event-stream')
    expect((await events(welcome, 1)).map((event) => event.message)).toMatchObject([{ id: 'init' }])
    const headers = { ...(await session()), ...accept }
    const response = await post(call(7, 'echo', { text: 'x' }), headers)
    expect(response.headers.get('content-type')).toContain('text/event-stream')
    const found = []
    for await (const event of eventsOf(response)) found.push(event)
    // First an event id to come back with, and when.
    expect(found.map(({ retry, data }) => (data === '' ? `after ${retry}` : JSON.parse(data).id))).toEqual([
      'after 1000',
      7,
    ])
    expect((await post({ jsonrpc: '2.0', method: 'notifications/initialized' }, headers)).status).toBe(202)
  })

  it('are not kept where the client has no id to come back with before it has all', async () => {
    const headers = { ...(await session('2025-06-18')), accept: 'text/event-stream, application/json' }
    const [event] = await events(await post(call(7, 'echo', { text: 'x' }), headers), 9)
    const again = { ...headers, accept: 'text/event-stream', 'last-event-id': event?.id ?? '' }
    const response = await fetch(`${test.origin}/mcp`, { headers: again })
    expect(response.status).toBe(400)
  })

  it('to notifications and responses are 202', async () => {
    const headers = await session()
    expect((await post({ jsonrpc: '2.0', method: 'notifications/initialized' }, headers)).status).toBe(202)
    expect((await post({ jsonrpc: '2.0', id: 99, result: {} }, headers)).status).toBe(202)
  })

  it('keep the type of the id', async () => {
    const headers = await session()
    const answers = await Promise.all(
      [1, '1', 0, -5, 1.5, ''].map(
        async (id) => (await (await post(call(id, 'echo', { text: 'x' }), headers)).json()).id,
      ),
    )
    expect(answers).toEqual([1, '1', 0, -5, 1.5, ''])
  })

  it('to a second request with the id of one in flight are errors', async () => {
    const headers = await session()
    const first = post(call(1, 'sleep', { ms: 300, text: 'first' }), headers)
    await expect
      .poll(async () => (await (await post(call(1, 'echo', { text: 'second' }), headers)).json()).error?.code)
      .toBe(-32_600)
    expect(await (await first).json()).toMatchObject({ result: { content: [{ text: 'first' }] } })
  })
})

describe('batches', () => {
  const batch = [
    call(1, 'echo', { text: 'a' }),
    { jsonrpc: '2.0', method: 'notifications/x' },
    call(2, 'echo', { text: 'b' }),
  ]

  it('are answered in revision 2025-03-26', async () => {
    const response = await post(batch, await session('2025-03-26'))
    const answers: { id: number }[] = await response.json()
    expect(new Set(answers.map((answer) => answer.id))).toEqual(new Set([1, 2]))
    expect(answers).toHaveLength(2)
  })

  it('are refused in later revisions', async () => {
    expect((await post(batch, await session('2025-06-18'))).status).toBe(400)
  })
})

describe('the stream of a client', () => {
  it('resumes after the last event it saw', async () => {
    const headers = await session()
    const listen = (more: Record<string, string> = {}) =>
      fetch(`${test.origin}/mcp`, { headers: { ...headers, accept: 'text/event-stream', ...more } })
    const first = await listen()
    await post(call(1, 'relist'), headers)
    const [seen] = await events(first, 1)
    expect(seen?.message).toMatchObject({ method: 'notifications/tools/list_changed' })
    await post(call(2, 'relist'), headers)
    await post(call(3, 'relist'), headers)
    expect(await events(await listen({ 'last-event-id': seen?.id ?? '' }), 2)).toHaveLength(2)
  })

  it('gets updates of resources it subscribed to and of no others', async () => {
    const [mine, others] = [await session(), await session()]
    await post({ jsonrpc: '2.0', id: 1, method: 'resources/subscribe', params: { uri: 'memo://a' } }, mine)
    await post({ jsonrpc: '2.0', id: 1, method: 'resources/subscribe', params: { uri: 'memo://b' } }, others)
    await post(call(2, 'touch', { uri: 'memo://b' }), mine)
    await post(call(3, 'touch', { uri: 'memo://a' }), mine)
    const stream = await fetch(`${test.origin}/mcp`, { headers: { ...mine, accept: 'text/event-stream' } })
    expect((await events(stream, 1)).map((event) => event.message)).toMatchObject([{ params: { uri: 'memo://a' } }])
    const unsubscribe = (headers: Record<string, string>, uri: string) =>
      post({ jsonrpc: '2.0', id: 9, method: 'resources/unsubscribe', params: { uri } }, headers)
    expect(await (await unsubscribe(mine, 'memo://a')).json()).toMatchObject({ result: {} })
    await unsubscribe(others, 'memo://b')
  })
})

describe('bad input', () => {
  const bom = new Blob([new Uint8Array([0xef, 0xbb, 0xbf]), JSON.stringify(call(1, 'echo'))])
  it.each<[string, unknown, number]>([
    ['no JSON', '{"jsonrpc":', -32_700],
    ['an empty body', '', -32_700],
    ['invalid UTF-8', new Blob([new Uint8Array([0x22, 0xff, 0x22])]), -32_700],
    ['a byte order mark', bom, -32_700],
    ['absurd nesting', `${'['.repeat(100_000)}${']'.repeat(100_000)}`, -32_700],
    ['no JSON-RPC', { id: 1, method: 'x' }, -32_600],
    ['an array of nothing', [], -32_600],
    ['a null id', { jsonrpc: '2.0', id: null, method: 'ping' }, -32_600],
    ['an object as id', { jsonrpc: '2.0', id: {}, method: 'ping' }, -32_600],
    ['params that are a list', { jsonrpc: '2.0', id: 1, method: 'ping', params: [1] }, -32_600],
    ['a method that is a number', { jsonrpc: '2.0', id: 1, method: 5 }, -32_600],
  ])('%s is a 400 with a JSON-RPC error', async (_, body, code) => {
    const response = await post(body, await session())
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ id: null, error: { code } })
  })

  it('over the size limit is a 413, announced or not', async () => {
    expect((await post('x'.repeat(1_000_001), await session())).status).toBe(413)
    const status = await new Promise((resolve, reject) => {
      const request = httpRequest(
        `${test.origin}/mcp`,
        { method: 'POST', headers: { ...JSON_HEADERS, 'transfer-encoding': 'chunked' } },
        (response) => resolve(response.statusCode),
      )
      request.on('error', reject)
      for (let i = 0; i < 20; i++) request.write('x'.repeat(60_000))
    })
    expect(status).toBe(413)
  })

  it('in an unacceptable Accept is a 406', async () => {
    expect((await post(call(1, 'echo'), { accept: 'text/html' })).status).toBe(406)
  })

  it('of an answer over the limit is one error to its asker', async () => {
    const headers = await session()
    expect(await (await post(call(1, 'blob', { bytes: 3_000_000 }), headers)).json()).toMatchObject({
      id: 1,
      error: { code: -32_000 },
    })
    expect(await (await post(call(2, 'echo', { text: 'alive' }), headers)).json()).toMatchObject({ id: 2, result: {} })
  })
})
