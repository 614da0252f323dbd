import { NAME, never, type TestGateway } from './gateway.ts'

const KNOWN: Record<string, (id: unknown) => string> = {
  'server/discover': (id) => JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32_601, message: 'no' } }),
  initialize: (id) =>
    JSON.stringify({
      jsonrpc: '2.0',
      id,
      result: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } },
    }),
}

/** A server that sends exactly this, and the bytes that it got. */
export async function connectServer(test: TestGateway, answer: (id: unknown) => string): Promise<string[]> {
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

const USUAL = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }

/** Returns a function that posts messages in the session, and the headers for that. */
export async function openSession(test: TestGateway) {
  const post = (body: string, headers: Record<string, string> = {}, signal?: AbortSignal) =>
    fetch(`${test.origin}/mcp`, {
      method: 'POST',
      ...(signal && { signal }),
      headers: { ...USUAL, ...headers },
      body,
    })
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } }
  const opened = await post(JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params }))
  const named = { 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' }
  await opened.text()
  const inSession = (body: string, headers: Record<string, string> = {}, signal?: AbortSignal) =>
    post(body, { ...named, ...headers }, signal)
  return Object.assign(inSession, { headers: { ...USUAL, ...named } })
}
