import {
  Client as ClientV2,
  SSEClientTransport as SseV2,
  StreamableHTTPClientTransport as HttpV2,
} from '@modelcontextprotocol/client'
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js'
import { SSEClientTransport as SseV1 } from '@modelcontextprotocol/sdk/client/sse.js'
import { StreamableHTTPClientTransport as HttpV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { EndpointSpec, Gateway } from '@toolhaven/core/ports/gateway'
import { freePort } from '@toolhaven/testing/free-port'
import { childServer, type ChildServer } from '@toolhaven/testing/mcp-servers/child-channel'
import { createGateway } from '../../src/gateway.ts'
import type { GatewayOptions } from '../../src/endpoint/options.ts'
import type { SessionStore } from '../../src/sessions/session-store.ts'

/** A real gateway on a real port with real fixture processes behind it. */
export interface TestGateway extends AsyncDisposable {
  gateway: Gateway
  port: number
  origin: string
  lost: string[]
  output: string[]
  open: (change?: Partial<EndpointSpec>) => Promise<void>
  /** A fixture process behind the endpoint. */
  run: (args?: readonly string[], processId?: string) => Promise<ChildServer>
  /** Ends something together with the test. */
  defer: (end: () => unknown) => void
}

export const NAME = 'fixture'
export const never = new AbortController().signal

export async function startGateway(options: Partial<GatewayOptions> = {}, port?: number): Promise<TestGateway> {
  const lost: string[] = []
  const output: string[] = []
  const ends: (() => unknown)[] = []
  const quiet = () => {}
  const gateway = createGateway({
    logger: {
      debug: quiet,
      info: quiet,
      warn: quiet,
      error: (message, fields) => output.push(`ERROR ${message} ${JSON.stringify(fields)}`),
    },
    events: {
      onBackendLost: (_name, reason) => lost.push(reason),
      onOutput: (_name, stream, text) => output.push(`${stream}: ${text}`),
      onLoginNeeded: quiet,
      onLoggedIn: quiet,
    },
    ...options,
  })
  const bound = port ?? (await freePort())
  let runs = 0
  return {
    gateway,
    port: bound,
    origin: `http://127.0.0.1:${bound}`,
    lost,
    output,
    open: (change = {}) =>
      gateway.open({
        name: NAME,
        host: '127.0.0.1',
        port: bound,
        transport: 'stdio',
        proxyMode: 'streamable-http',
        ...change,
      }),
    async run(args = [], processId = `run-${++runs}`) {
      const child = childServer(args)
      ends.push(() => child.kill())
      await gateway.connect(NAME, { kind: 'stdio', channel: child.channel, processId, start: child.start }, never)
      return child
    },
    defer: (end) => void ends.push(end),
    async [Symbol.asyncDispose]() {
      for (const end of ends.toReversed()) await end()
      await gateway.shutdown(0)
    },
  }
}

export function memoryStore(): SessionStore & { data: Map<string, string> } {
  const data = new Map<string, string>()
  return {
    data,
    load: async (name) => {
      const text = data.get(name)
      return text === undefined ? undefined : JSON.parse(text)
    },
    save: async (name, stored) => void data.set(name, JSON.stringify(stored)),
    remove: async (name) => void data.delete(name),
  }
}

/** What the tests use of a client, the same for both generations of the SDK. */
export interface TestClient {
  call: (name: string, args?: Record<string, unknown>, options?: CallOptions) => Promise<string>
  tools: () => Promise<string[]>
  v1?: ClientV1
  close: () => Promise<void>
}

interface CallOptions {
  signal?: AbortSignal
  onprogress?: (progress: { progress: number; message?: string | undefined }) => void
}

export const CLIENTS = ['v1 http', 'v1 sse', 'v2 http', 'v2 sse', 'v2 modern'] as const

/** `onAsk` answers what servers ask clients. */
export async function connectClient(
  test: TestGateway,
  kind: (typeof CLIENTS)[number],
  onAsk?: (method: string, text: string) => string,
): Promise<TestClient> {
  const url = new URL(`${test.origin}/${kind.endsWith('sse') ? 'sse' : 'mcp'}`)
  const capabilities = onAsk === undefined ? {} : { sampling: {}, elicitation: {}, roots: {} }
  const client = kind.startsWith('v1')
    ? await connectV1(url, kind, capabilities, onAsk)
    : await connectV2(url, kind, capabilities, onAsk)
  test.defer(() => client.close().catch(() => undefined))
  return client
}

async function connectV1(
  url: URL,
  kind: string,
  capabilities: object,
  onAsk: ((method: string, text: string) => string) | undefined,
): Promise<TestClient> {
  const { CreateMessageRequestSchema, ElicitRequestSchema, ListRootsRequestSchema } =
    await import('@modelcontextprotocol/sdk/types.js')
  const client = new ClientV1({ name: 'v1', version: '1' }, { capabilities })
  if (onAsk !== undefined) {
    client.setRequestHandler(CreateMessageRequestSchema, (request) => sampled(onAsk, request.params.messages))
    client.setRequestHandler(ElicitRequestSchema, (request) => ({
      action: 'accept',
      content: { name: onAsk('elicitation', request.params.message) },
    }))
    client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: [{ uri: `file:///${onAsk('roots', '')}` }] }))
  }
  if (kind.endsWith('sse')) await client.connect(new SseV1(url))
  else await client.connect(new HttpV1(url))
  return {
    v1: client,
    call: async (name, args = {}, options = {}) =>
      textOf(await client.callTool({ name, arguments: args }, undefined, options)),
    tools: async () => (await client.listTools()).tools.map((tool) => tool.name),
    close: () => client.close(),
  }
}

async function connectV2(
  url: URL,
  kind: string,
  capabilities: object,
  onAsk: ((method: string, text: string) => string) | undefined,
): Promise<TestClient> {
  const modern = kind === 'v2 modern' ? { versionNegotiation: { mode: { pin: '2026-07-28' } } } : {}
  const client = new ClientV2({ name: 'v2', version: '1' }, { capabilities, ...modern })
  if (onAsk !== undefined) {
    client.setRequestHandler('sampling/createMessage', (request) => sampled(onAsk, request.params.messages))
    client.setRequestHandler('elicitation/create', (request) => ({
      action: 'accept',
      content: { name: onAsk('elicitation', request.params.message) },
    }))
    client.setRequestHandler('roots/list', () => ({ roots: [{ uri: `file:///${onAsk('roots', '')}` }] }))
  }
  await client.connect(kind.endsWith('sse') ? new SseV2(url) : new HttpV2(url))
  return {
    call: async (name, args = {}, options = {}) => textOf(await client.callTool({ name, arguments: args }, options)),
    tools: async () => (await client.listTools()).tools.map((tool) => tool.name),
    close: () => client.close(),
  }
}

function sampled(onAsk: (method: string, text: string) => string, messages: readonly unknown[]) {
  const text = onAsk('sampling', JSON.stringify(messages))
  return { model: 'test', role: 'assistant' as const, content: { type: 'text' as const, text } }
}

function textOf(result: object): string {
  const content = 'content' in result && Array.isArray(result.content) ? result.content : []
  return content
    .map((item: unknown) => (typeof item === 'object' && item !== null && 'text' in item ? String(item.text) : ''))
    .join('')
}
