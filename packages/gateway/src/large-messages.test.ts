import { expect, it } from 'vitest'
import { NAME, never, startGateway, type TestGateway } from './test-gateway.ts'

const LARGE = 'é\\" "id":7,'.repeat(2000)
const RESULT = { content: [{ type: 'text', text: LARGE }] }
const KNOWN: Record<string, (id: unknown) => string> = {
  'server/discover': (id) => JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32_601, message: 'no' } }),
  initialize: (id) =>
    JSON.stringify({
      jsonrpc: '2.0',
      id,
      result: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } },
    }),
}

/** A server that says exactly this, and the bytes it was told. */
async function connectServer(test: TestGateway, answer: (id: unknown) => string): Promise<string[]> {
  const heard: string[] = []
  const channel = {
    onStdout: (_chunk: Uint8Array) => {},
    onStderr: () => {},
    onClose: () => {},
    async write(data: string | readonly Uint8Array[]) {
      const text = typeof data === 'string' ? data : Buffer.concat(data).toString()
      for (const line of text.split('\n')) {
        if (line === '') continue
        heard.push(line)
        const { id, method } = JSON.parse(line)
        if (id !== undefined) queueMicrotask(() => channel.onStdout(Buffer.from(`${(KNOWN[method] ?? answer)(id)}\n`)))
      }
    },
    pause: () => {},
    resume: () => {},
    close: () => {},
  }
  await test.gateway.connect(NAME, { kind: 'stdio', channel, processId: 'p', start: async () => {} }, never)
  return heard
}

async function openSession(test: TestGateway) {
  const post = (body: string, headers: Record<string, string> = {}) =>
    fetch(`${test.origin}/mcp`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
      body,
    })
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } }
  const opened = await post(JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params }))
  const named = { 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' }
  await opened.text()
  return (body: string) => post(body, named)
}

const callOf = (id: unknown) =>
  JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'echo', arguments: { text: LARGE } } })

it.each([
  ['first', (id: unknown) => JSON.stringify({ jsonrpc: '2.0', id, result: RESULT })],
  ['last', (id: unknown) => JSON.stringify({ result: RESULT, jsonrpc: '2.0', id })],
  [
    'first, on a line as Windows ends it',
    (id: unknown) => `${JSON.stringify({ jsonrpc: '2.0', id, result: RESULT })}\r`,
  ],
])('a large answer with its id %s reaches its asker under the id it gave', async (_where, answer) => {
  await using test = await startGateway()
  await test.open()
  const heard = await connectServer(test, answer)
  const post = await openSession(test)
  for (const id of [7, 'seven', '"']) {
    expect(await (await post(callOf(id))).json()).toEqual({ jsonrpc: '2.0', id, result: RESULT })
    const { id: _given, ...told } = JSON.parse(heard.at(-1) ?? '')
    expect(told).toEqual({ jsonrpc: '2.0', method: 'tools/call', params: { name: 'echo', arguments: { text: LARGE } } })
  }
})

it('a second answer to a call goes nowhere, however large', async () => {
  await using test = await startGateway()
  await test.open()
  const text = (id: unknown) => JSON.stringify({ jsonrpc: '2.0', id, result: RESULT })
  await connectServer(test, (id) => `${text(id)}\n${text(id)}`)
  const post = await openSession(test)
  const answers = await Promise.all([1, 2, 3].map(async (id) => (await post(callOf(id))).json()))
  expect(answers).toEqual([1, 2, 3].map((id) => ({ jsonrpc: '2.0', id, result: RESULT })))
})

it('what somebody looks at is read, however large', async () => {
  await using test = await startGateway()
  await test.open({ toolsFilter: ['echo'] })
  const tools = ['echo', 'hidden'].map((name) => ({ name, description: LARGE, inputSchema: { type: 'object' } }))
  await connectServer(test, (id) => JSON.stringify({ jsonrpc: '2.0', id, result: { tools } }))
  const post = await openSession(test)
  const listed = await (await post(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }))).json()
  expect(listed).toEqual({ jsonrpc: '2.0', id: 1, result: { tools: [tools[0]] } })
})
