import type { IncomingMessage } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import type { RawClient } from './raw-client.ts'

/** How one client uses a workload, from its first message to its end. */
export type Visit = (client: RawClient, path: string) => Promise<void>

/** A server that is being restarted may refuse a message. A client that ignored that would be the test's mistake. */
export class TurnedAway extends Error {}

const HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
const CLIENT = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'soak', version: '1' } }
const UNREAD_MS = 10_000
const LISTENING_MS = 200
const IN_CALL_MS = 100

const message = (method: string, params?: object, id?: number) => JSON.stringify({ jsonrpc: '2.0', id, method, params })
const toolCall = (name: string) =>
  message('tools/call', { name, arguments: { text: 'x', ms: 300, bytes: 2_000_000 } }, 2)

/** Ends its session as it should. */
const leavesPolitely: Visit = async (client, path) => {
  const headers = await initialize(client, path)
  await post(client, path, toolCall('echo'), headers)
  await client.ask({ method: 'DELETE', path, headers })
}

const vanishesWhileListening: Visit = async (client, path) => {
  const headers = await initialize(client, path)
  const stream = await client.open({ path, headers: { ...headers, accept: 'text/event-stream' } })
  stream.resume()
  await post(client, path, toolCall('echo'), headers)
  await pause(LISTENING_MS)
  client.vanish()
}

const vanishesInCall: Visit = async (client, path) => {
  const headers = await initialize(client, path)
  const call = post(client, path, toolCall('sleep'), headers).catch(() => undefined)
  await pause(IN_CALL_MS)
  client.vanish()
  await call
}

/** Leaves its stream and a large answer unread, then vanishes. */
const stopsReading: Visit = async (client, path) => {
  const headers = await initialize(client, path)
  const stream = await client.open({ path, headers: { ...headers, accept: 'text/event-stream' } })
  const answer = await client.open({ method: 'POST', path, headers, body: toolCall('blob') })
  for (const unread of [stream, answer]) unread.pause()
  await pause(UNREAD_MS)
  client.vanish()
}

/** A stateless client (revision 2026-07-28). */
const hasNoSession: Visit = async (client, path) => {
  const version = '2026-07-28'
  const meta = {
    'io.modelcontextprotocol/protocolVersion': version,
    'io.modelcontextprotocol/clientInfo': { name: 'soak', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const named = { 'mcp-protocol-version': version, 'mcp-method': 'tools/call', 'mcp-name': 'echo' }
  const params = { name: 'echo', arguments: { text: 'x' }, _meta: meta }
  await post(client, path, message('tools/call', params, 1), { ...HEADERS, ...named })
}

/** Over HTTP+SSE, where the stream is the session. */
const vanishesFromSse: Visit = async (client, path) => {
  const { stream, messages } = await openSse(client, path)
  stream.resume()
  await post(client, messages, toolCall('echo'), HEADERS)
  await pause(LISTENING_MS)
  client.vanish()
}

const stopsReadingSse: Visit = async (client, path) => {
  const { messages } = await openSse(client, path)
  await post(client, messages, toolCall('blob'), HEADERS)
  await pause(UNREAD_MS)
  client.vanish()
}

interface Visits {
  /** One after the other. */
  short: readonly Visit[]
  /** Beside them. */
  long: Visit
}

export const STREAMABLE: Visits = {
  short: [leavesPolitely, vanishesWhileListening, vanishesInCall, hasNoSession],
  long: stopsReading,
}
export const SSE: Visits = { short: [vanishesFromSse], long: stopsReadingSse }

async function initialize(client: RawClient, path: string): Promise<Record<string, string>> {
  const response = await post(client, path, message('initialize', CLIENT, 0), HEADERS)
  const id = response.headers['mcp-session-id']
  if (typeof id !== 'string') throw new TurnedAway()
  const headers = { ...HEADERS, 'mcp-session-id': id }
  await post(client, path, message('notifications/initialized'), headers)
  return headers
}

/** Leaves the stream paused after its first event. */
async function openSse(client: RawClient, path: string): Promise<{ stream: IncomingMessage; messages: string }> {
  const stream = await client.open({ path, headers: { accept: 'text/event-stream' } })
  if (stream.statusCode !== 200) throw turnedAway(stream)
  const first = await new Promise<string>((resolve) => {
    stream.once('data', (chunk: Buffer) => resolve(chunk.toString()))
    stream.once('close', () => resolve(''))
  })
  stream.pause()
  const messages = /^data: (.*)$/m.exec(first)?.[1]
  if (messages === undefined) throw new TurnedAway()
  await post(client, messages, message('initialize', CLIENT, 0), HEADERS)
  await post(client, messages, message('notifications/initialized'), HEADERS)
  return { stream, messages }
}

async function post(
  client: RawClient,
  path: string,
  body: string,
  headers: Record<string, string>,
): Promise<IncomingMessage> {
  const { response } = await client.ask({ method: 'POST', path, headers, body })
  if ((response.statusCode ?? 0) >= 300) throw turnedAway(response)
  return response
}

/** 503: the server is away. 404: its session ended with the server. */
function turnedAway({ statusCode }: IncomingMessage): Error {
  return statusCode === 503 || statusCode === 404 ? new TurnedAway() : new Error(`status ${statusCode}`)
}
