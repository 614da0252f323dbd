import { request as httpRequest } from 'node:http'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { NAME, never, startGateway, type TestGateway } from './support/gateway.ts'
import { scriptedServer } from './support/scripted-server.ts'

type Json = { [key: string]: unknown }

const INITIALIZED = {
  result: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } },
}
const MAX_BYTES = 1_000_000

let test: TestGateway
let heard: Json[]
beforeAll(async () => {
  test = await startGateway({ limits: { maxMessageBytes: MAX_BYTES } })
  await test.open()
  const server = scriptedServer(({ id, method }) => {
    if (method === 'server/discover') return { error: { code: -32_601, message: 'no' } }
    return id === undefined ? undefined : INITIALIZED
  })
  heard = server.heard
  const backend = { kind: 'stdio', channel: server.channel, processId: 'p', start: async () => {} } as const
  await test.gateway.connect(NAME, backend, never)
})
afterAll(() => test[Symbol.asyncDispose]())

interface Sent {
  body?: string | Buffer
  headers?: Record<string, string | undefined>
  path?: string
  method?: string
}

/** Sends it as it is: no library corrects anything. */
function send({
  body = '',
  headers = {},
  path = '/mcp',
  method = 'POST',
}: Sent): Promise<{ status: number; json: Json }> {
  const all = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'content-length': String(Buffer.byteLength(body)),
    ...headers,
  }
  const named = Object.fromEntries(
    Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  )
  return new Promise((resolve, reject) => {
    const request = httpRequest(`${test.origin}${path}`, { method, headers: named, agent: false }, async (response) => {
      let text = ''
      for await (const chunk of response) text += String(chunk)
      resolve({ status: response.statusCode ?? 0, json: text.startsWith('{') ? JSON.parse(text) : { text } })
    })
    request.on('error', reject)
    request.end(body)
  })
}

const CALL = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'echo', arguments: { text: 'x' } } }
const text = (value: unknown) => JSON.stringify(value)
const deep = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`

let session: Record<string, string>
beforeEach(async () => {
  session = await openSession('2025-11-25')
})

async function openSession(protocolVersion: string): Promise<Record<string, string>> {
  const params = { protocolVersion, capabilities: {}, clientInfo: { name: 'c', version: '1' } }
  const response = await fetch(`${test.origin}/mcp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: text({ jsonrpc: '2.0', id: 0, method: 'initialize', params }),
  })
  await response.text()
  return { 'mcp-session-id': response.headers.get('mcp-session-id') ?? '', 'mcp-protocol-version': protocolVersion }
}

/** Expects the refusal, and that the server heard nothing of it. */
async function expectRefused(sent: Sent, status: number, code: number): Promise<void> {
  const before = heard.length
  const { status: given, json } = await send(sent)
  expect({ status: given, json }).toMatchObject({
    status,
    json: { jsonrpc: '2.0', error: { code, message: expect.any(String) } },
  })
  // Anything sent before would have arrived before this.
  await send({ body: text({ ...CALL, id: 'after' }), headers: session })
  expect(heard.slice(before).map(({ method, params }) => [method, params])).toEqual([[CALL.method, CALL.params]])
}

const BODIES: [string, string | Buffer, number][] = [
  ['is cut off', '{"jsonrpc":', -32_700],
  ['is empty', '', -32_700],
  [
    'holds invalid UTF-8',
    Buffer.concat([Buffer.from('{"jsonrpc":"2.0","id":1,"method":"'), Buffer.from([0xff, 0xfe]), Buffer.from('"}')]),
    -32_700,
  ],
  ['begins with a byte order mark', Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(text(CALL))]), -32_700],
  ['is in UTF-16', Buffer.from(text(CALL), 'utf16le'), -32_700],
  ['is nothing but depth', deep(100_000), -32_700],
  ['is a request of great depth', text(CALL).replace('"x"', deep(100_000)), -32_700],
  ['is a text', '"tools/call"', -32_600],
  ['is null', 'null', -32_600],
  ['is not JSON-RPC', text({ id: 1, method: 'tools/call' }), -32_600],
  ['says another JSON-RPC', text({ ...CALL, jsonrpc: '1.0' }), -32_600],
  ['has null for an id', text({ ...CALL, id: null }), -32_600],
  ['has an object for an id', text({ ...CALL, id: {} }), -32_600],
  ['has a number for a method', text({ ...CALL, method: 5 }), -32_600],
  ['has a list for params', text({ ...CALL, params: ['echo'] }), -32_600],
  ['has a second id to servers that ignore case', text(CALL).replace('"id":1', '"id":1,"ID":7'), -32_600],
  ['has neither method nor answer', text({ jsonrpc: '2.0', id: 1 }), -32_600],
]

describe('a body is refused, and the server hears nothing of it, when it', () => {
  it.each(BODIES)('%s', async (_what, body, code) => {
    await expectRefused({ body, headers: session }, 400, code)
  })

  it('is larger than may be', async () => {
    await expectRefused({ body: text({ ...CALL, pad: 'x'.repeat(MAX_BYTES) }), headers: session }, 413, -32_000)
  })

  it('is larger than may be, and does not say so', async () => {
    const headers = { ...session, 'content-length': undefined, 'transfer-encoding': 'chunked' }
    await expectRefused({ body: text({ ...CALL, pad: 'x'.repeat(MAX_BYTES) }), headers }, 413, -32_000)
  })

  it.each(['2024-11-05', '2025-06-18', '2025-11-25'])('is a batch in revision %s', async (version) => {
    await expectRefused({ body: text([CALL, { ...CALL, id: 2 }]), headers: await openSession(version) }, 400, -32_600)
  })

  it('is a batch of which one part is none', async () => {
    await expectRefused({ body: text([CALL, { id: 2 }]), headers: await openSession('2025-03-26') }, 400, -32_600)
  })
})

describe('a message of the older transport is refused when', () => {
  it.each<[string, string, string, number, number]>([
    ['it names no stream', '/messages', text(CALL), 400, -32_600],
    ['its stream is not known', '/messages?sessionId=nobody', text(CALL), 404, -32_001],
  ])('%s', async (_what, path, body, status, code) => {
    await expectRefused({ path, body }, status, code)
  })

  it.each<[string, string, number]>([
    ['it is cut off', '{"jsonrpc":', -32_700],
    ['it is a batch', text([CALL]), -32_600],
  ])('%s', async (_what, body, code) => {
    const gone = new AbortController()
    const stream = await fetch(`${test.origin}/sse`, { headers: { accept: 'text/event-stream' }, signal: gone.signal })
    const first = await stream.body?.pipeThrough(new TextDecoderStream()).getReader().read()
    const path = /data: (\S+)/.exec(first?.value ?? '')?.[1] ?? ''
    await expectRefused({ path, body }, 400, code)
    gone.abort()
  })
})

describe('a request is refused, and the server hears nothing of it, when it', () => {
  it.each<[string, Record<string, string | undefined>, number, number]>([
    ['names no session', { 'mcp-session-id': undefined }, 400, -32_600],
    ['names an empty session', { 'mcp-session-id': '' }, 400, -32_600],
    ['names a session that there is not', { 'mcp-session-id': 'x'.repeat(32) }, 404, -32_001],
    ['says an unknown revision', { 'mcp-protocol-version': '1999-01-01' }, 400, -32_600],
    ['says two revisions', { 'mcp-protocol-version': '2025-11-25, 2025-06-18' }, 400, -32_600],
    ['takes no answer that there is', { accept: 'text/html' }, 406, -32_000],
    ['comes from another site', { origin: 'https://evil.example' }, 403, -32_000],
    ['comes from nowhere', { origin: 'null' }, 403, -32_000],
    ['is for another name', { host: 'evil.example' }, 403, -32_000],
    ['is of a kind that web pages can send', { 'content-type': 'text/plain' }, 400, -32_000],
  ])('%s', async (_what, headers, status, code) => {
    await expectRefused({ body: text(CALL), headers: { ...session, ...headers } }, status, code)
  })

  it.each(['GET', 'DELETE'])('is a %s with a session that there is not', async (method) => {
    const headers = { ...session, 'mcp-session-id': 'nobody', 'content-type': undefined, 'content-length': undefined }
    await expectRefused({ method, headers }, 404, -32_001)
  })
})

describe('a request without a session is refused, and the server hears nothing of it, when it', () => {
  const VERSION = '2026-07-28'
  const META = {
    'io.modelcontextprotocol/protocolVersion': VERSION,
    'io.modelcontextprotocol/clientInfo': { name: 'c', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const HEADERS = { 'mcp-protocol-version': VERSION, 'mcp-method': 'tools/call', 'mcp-name': 'echo' }
  const body = text({ ...CALL, params: { ...CALL.params, _meta: META } })
  const said = (version: string) => body.replace(VERSION, version)

  it.each<[string, string, Record<string, string | undefined>, number, number]>([
    ['is a batch', `[${body}]`, {}, 400, -32_600],
    ['is cut off', body.slice(0, -1), {}, 400, -32_700],
    ['says one revision above and another within', body, { 'mcp-protocol-version': '2026-07-29' }, 400, -32_020],
    ['says an unknown revision', said('2099-01-01'), { 'mcp-protocol-version': '2099-01-01' }, 400, -32_022],
    [
      'has _meta that some servers read as another',
      body.replace('"_meta":{', '"_meta":{"io.modelcontextprotocol/ClientInfo":{},'),
      {},
      400,
      -32_602,
    ],
    ['says another method above', body, { 'mcp-method': 'tools/list' }, 400, -32_020],
    ['says another name above', body, { 'mcp-name': 'add' }, 400, -32_020],
    ['comes from another site', body, { origin: 'https://evil.example' }, 403, -32_000],
    ['is for another name', body, { host: 'evil.example' }, 403, -32_000],
  ])('%s', async (_what, sent, headers, status, code) => {
    await expectRefused({ body: sent, headers: { ...HEADERS, ...headers } }, status, code)
  })

  it.each(['GET', 'DELETE'])('is a %s, which the revision does not have', async (method) => {
    const headers = { 'mcp-protocol-version': VERSION, 'content-type': undefined, 'content-length': undefined }
    await expectRefused({ method, headers }, 405, -32_000)
  })
})
