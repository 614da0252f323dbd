/**
 * An MCP server for tests: `node fixture-server.ts --transport=stdio|sse|streamable-http --port=0 --behaviour=good`.
 * It uses nothing but Node and is one file, so that it can be put into any container or sandbox (fixture-source.ts gives
 * it as plain JavaScript). HTTP transports write "listening on PORT" to stderr.
 *
 * Behaviours: good · slow (every call takes 300 ms) · crash-at-start · needs-variable (DATABASE_URL) · crash-on-call · silent (answers nothing) ·
 * chatty (garbage on stdout, floods of stderr) · huge (echo answers 4 MB).
 * `--tools-file=PATH`: JSON with what the definitions of tools have besides, by name; null leaves a tool out of the list.
 * `--offers-file=PATH`: JSON with `instructions`, `prompts` and `templates` in place of the usual ones.
 * `--page-size=N`: tools on one page of the list.
 */
import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { readFile, readdir, stat } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'

type Json = { [key: string]: unknown }
type Send = (message: Json) => void

const flags = new Map(process.argv.slice(2).map((arg) => [arg.split('=')[0] ?? '', arg.slice(arg.indexOf('=') + 1)]))
const transport = flags.get('--transport') ?? 'stdio'
const behaviour = flags.get('--behaviour') ?? 'good'
/** What happened in this process, which tests read through the `stats` tool. */
const stats = { initialized: 0, cancelled: 0, subscribed: 0, unsubscribed: 0, sleeping: 0, level: '' }

/** One connection: the pipe, or one HTTP session. */
class Peer {
  readonly subscriptions = new Set<string>()
  readonly #waiting = new Map<number, (message: Json) => void>()
  readonly #aborts = new Map<unknown, AbortController>()
  #nextId = 0
  /** Where messages that belong to no call are sent. */
  push: Send

  constructor(push: Send) {
    this.push = push
  }

  /** Handles a message. Everything it causes goes to `send`, the answer last. */
  async receive(message: Json, send: Send): Promise<void> {
    const { id, method } = message
    if (typeof method !== 'string') {
      if (typeof id === 'number') this.#waiting.get(id)?.(message)
      return
    }
    const params = isObject(message['params']) ? message['params'] : {}
    if (id === undefined) return this.#notified(method, params)
    if (behaviour === 'silent') return
    const abort = new AbortController()
    this.#aborts.set(id, abort)
    try {
      const result = await answer(this, method, params, send, abort.signal)
      if (!abort.signal.aborted) send({ jsonrpc: '2.0', id, result })
    } catch (error) {
      const code = error instanceof RpcError ? error.code : -32_603
      if (!abort.signal.aborted)
        send({ jsonrpc: '2.0', id, error: { code, message: error instanceof Error ? error.message : String(error) } })
    } finally {
      this.#aborts.delete(id)
    }
  }

  /** Asks the client. */
  ask(method: string, params: Json, send: Send): Promise<Json> {
    const id = this.#nextId++
    return new Promise((resolve) => {
      this.#waiting.set(id, (message) => {
        this.#waiting.delete(id)
        resolve(message)
      })
      send({ jsonrpc: '2.0', id, method, params })
    })
  }

  #notified(method: string, params: Json): void {
    if (method === 'notifications/initialized') stats.initialized++
    if (method !== 'notifications/cancelled') return
    stats.cancelled++
    this.#aborts.get(params['requestId'])?.abort()
  }
}

class RpcError extends Error {
  readonly code: number

  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }
}

const peers = new Set<Peer>()

async function answer(peer: Peer, method: string, params: Json, send: Send, signal: AbortSignal): Promise<Json> {
  const uri = String(params['uri'])
  switch (method) {
    case 'initialize':
      return {
        protocolVersion: params['protocolVersion'],
        capabilities: {
          tools: { listChanged: true },
          resources: { subscribe: true, listChanged: true },
          prompts: {},
          logging: {},
        },
        serverInfo: { name: 'fixture', version: '1.2.3' },
        instructions: (await offers()).instructions,
      }
    case 'ping':
      return {}
    case 'tools/list':
      return pageOf(await definitions(), Number(params['cursor'] ?? 0))
    case 'tools/call':
      return { content: [{ type: 'text', text: await callTool(peer, params, send, signal) }] }
    case 'resources/list':
      return { resources: [{ uri: 'memo://a', name: 'a' }] }
    case 'resources/read':
      return { contents: [{ uri, text: `content of ${uri}` }] }
    case 'resources/subscribe':
      stats.subscribed++
      peer.subscriptions.add(uri)
      return {}
    case 'resources/unsubscribe':
      stats.unsubscribed++
      peer.subscriptions.delete(uri)
      return {}
    case 'prompts/list':
      return { prompts: (await offers()).prompts }
    case 'prompts/get':
      return { messages: [{ role: 'user', content: { type: 'text', text: `prompt ${String(params['name'])}` } }] }
    case 'resources/templates/list':
      return { resourceTemplates: (await offers()).templates }
    case 'completion/complete':
      return { completion: { values: ['completed'] } }
    case 'logging/setLevel':
      stats.level = String(params['level'])
      return {}
    default:
      throw new RpcError(-32_601, `Method not found: ${method}`)
  }
}

async function offers(): Promise<Json> {
  const file = flags.get('--offers-file')
  const usual: Json = { instructions: 'for tests', prompts: [{ name: 'greet' }], templates: [] }
  return { ...usual, ...(file !== undefined && JSON.parse(await readFile(file, 'utf8'))) }
}

/** The file is read each time, because it may change while the server runs. */
async function definitions(): Promise<Json[]> {
  const file = flags.get('--tools-file')
  const changes: Json = file === undefined ? {} : JSON.parse(await readFile(file, 'utf8'))
  const names = [...new Set([...Object.keys(tools), ...Object.keys(changes)])]
  return names.flatMap((name) => {
    const change = changes[name]
    const usual = { name, description: `the ${name} tool`, inputSchema: { type: 'object' } }
    return change === null ? [] : [{ ...usual, ...(isObject(change) ? change : {}) }]
  })
}

function pageOf(all: Json[], from: number): Json {
  const to = from + Number(flags.get('--page-size') ?? all.length)
  return { tools: all.slice(from, to), ...(to < all.length && { nextCursor: String(to) }) }
}

async function callTool(peer: Peer, params: Json, send: Send, signal: AbortSignal): Promise<string> {
  const tool = tools[String(params['name'])]
  if (tool === undefined) throw new RpcError(-32_602, `Unknown tool: ${String(params['name'])}`)
  if (behaviour === 'crash-on-call') process.exit(3)
  if (behaviour === 'slow') await sleep(300)
  const meta = isObject(params['_meta']) ? params['_meta'] : {}
  return tool({
    args: isObject(params['arguments']) ? params['arguments'] : {},
    token: meta['progressToken'],
    peer,
    send,
    signal,
  })
}

const held: (() => void)[] = []

interface ToolContext {
  args: Json
  token: unknown
  peer: Peer
  send: Send
  signal: AbortSignal
}

const tools: Record<string, (context: ToolContext) => string | Promise<string>> = {
  echo: ({ args }) => (behaviour === 'huge' ? 'x'.repeat(4_000_000) : String(args['text'])),
  add: ({ args }) => String(Number(args['a']) + Number(args['b'])),
  env: () => JSON.stringify(process.env),
  pid: () => String(process.pid),
  stats: () => JSON.stringify(stats),
  blob: ({ args }) => 'x'.repeat(Number(args['bytes'])),
  size: ({ args }) => String(String(args['text']).length),
  crash: () => process.exit(3),
  /** Logs a text, as often as requested. */
  async say({ args }) {
    const line = `${String(args['text'])}\n`
    for (let left = Number(args['times'] ?? 1); left > 0; left--)
      if (!process.stderr.write(line)) await new Promise((resolve) => process.stderr.once('drain', resolve))
    return 'said'
  },
  /** The output of another program. `node` is the one that runs this server. */
  async run({ args, signal }) {
    const [program = '', ...rest] = Array.isArray(args['command']) ? args['command'].map(String) : []
    try {
      const { stdout } = await promisify(execFile)(program === 'node' ? process.execPath : program, rest, { signal })
      return stdout
    } catch (error) {
      return `failed: ${error instanceof Error ? error.message : String(error)}`
    }
  },
  /** The text of a file, or the names in a folder. */
  async read({ args }) {
    const path = String(args['path'])
    try {
      return (await stat(path)).isDirectory() ? (await readdir(path)).join() : await readFile(path, 'utf8')
    } catch (error) {
      return `failed: ${error instanceof Error && 'code' in error ? String(error.code) : String(error)}`
    }
  },
  async fetch({ args, signal }) {
    try {
      const response = await fetch(String(args['url']), { signal })
      return `${response.status} ${await response.text()}`
    } catch (error) {
      const cause = error instanceof Error ? error.cause : undefined
      return `failed: ${cause instanceof Error && 'code' in cause ? String(cause.code) : String(cause ?? error)}`
    }
  },
  async sleep({ args, signal }) {
    stats.sleeping++
    // Aborted: nobody waits for the answer any more.
    await sleep(Number(args['ms']), undefined, { signal }).catch(() => undefined)
    return String(args['text'] ?? 'slept')
  },
  async progress({ args, token, send }) {
    const steps = Number(args['steps'])
    for (let i = 1; i <= steps; i++) {
      send({
        jsonrpc: '2.0',
        method: 'notifications/progress',
        params: { progressToken: token, progress: i, total: steps, message: String(args['text']) },
      })
      await sleep(1)
    }
    // With `hold` the answer waits for a call of `release`.
    if (args['hold'] === true) await new Promise<void>((resolve) => held.push(resolve))
    return String(args['text'])
  },
  async sample({ args, peer, send }) {
    const messages = [{ role: 'user', content: { type: 'text', text: String(args['text']) } }]
    return JSON.stringify(await peer.ask('sampling/createMessage', { messages, maxTokens: 10 }, send))
  },
  async elicit({ args, peer, send }) {
    const requestedSchema = { type: 'object', properties: { name: { type: 'string' } } }
    return JSON.stringify(
      await peer.ask('elicitation/create', { message: String(args['text']), requestedSchema }, send),
    )
  },
  async roots({ peer, send }) {
    return JSON.stringify(await peer.ask('roots/list', {}, send))
  },
  log({ args, send }) {
    send({
      jsonrpc: '2.0',
      method: 'notifications/message',
      params: { level: args['level'] ?? 'info', data: String(args['text']) },
    })
    return 'logged'
  },
  touch({ args }) {
    for (const peer of peers) {
      if (peer.subscriptions.has(String(args['uri'])))
        peer.push({ jsonrpc: '2.0', method: 'notifications/resources/updated', params: { uri: args['uri'] } })
    }
    return 'touched'
  },
  async release() {
    // It may arrive before the call that it is for has got this far.
    for (let waited = 0; held.length === 0 && waited < 200; waited++) await sleep(1)
    for (const release of held.splice(0)) release()
    return 'released'
  },
  relist({ args }) {
    const method = `notifications/${String(args['list'] ?? 'tools')}/list_changed`
    for (const peer of peers) peer.push({ jsonrpc: '2.0', method })
    return 'relisted'
  },
}

function serveStdio(): void {
  const send: Send = (message) => {
    if (behaviour === 'chatty') {
      process.stdout.write('not json at all\n{"half": \n[1, 2]\n\n')
      process.stderr.write(`${'noise '.repeat(5000)}\n`.repeat(20))
    }
    process.stdout.write(`${JSON.stringify(message)}\n`)
  }
  const peer = new Peer(send)
  peers.add(peer)
  createInterface({ input: process.stdin })
    .on('line', (line) => void peer.receive(JSON.parse(line), send))
    .on('close', () => process.exit(0))
}

const sessions = new Map<string, Peer>()

/** Messages of both transports: /mcp answers in place, the other one through its stream. */
async function serveStreamable(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const sessionId = String(request.headers['mcp-session-id'] ?? '')
  const known = sessions.get(sessionId)
  if (request.method === 'DELETE') {
    sessions.delete(sessionId)
    return void response.writeHead(200).end()
  }
  if (request.method === 'GET') {
    if (known === undefined) return void response.writeHead(404).end()
    known.push = openEvents(response)
    return
  }
  const message = JSON.parse(await bodyOf(request))
  const isFirst = message.method === 'initialize'
  if (known === undefined && !isFirst) return void response.writeHead(404).end()
  const peer = known ?? new Peer(() => {})
  const id = known === undefined ? randomUUID() : sessionId
  sessions.set(id, peer)
  peers.add(peer)
  if (message.id === undefined || message.method === undefined) {
    await peer.receive(message, peer.push)
    return void response.writeHead(202).end()
  }
  await answerPost(peer, message, response, { 'mcp-session-id': id })
}

async function answerPost(
  peer: Peer,
  message: Json,
  response: ServerResponse,
  headers: Record<string, string>,
): Promise<void> {
  let stream: Send | undefined
  await peer.receive(message, (reply) => {
    const isAnswer = reply['method'] === undefined
    if (stream === undefined && isAnswer)
      response.writeHead(200, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(reply))
    else {
      stream ??= openEvents(response, headers)
      stream(reply)
      if (isAnswer) response.end()
    }
  })
}

async function serveSse(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? '', 'http://fixture')
  if (request.method === 'GET') {
    const id = randomUUID()
    const peer = new Peer(openEvents(response))
    response.write(`event: endpoint\ndata: /messages?sessionId=${id}\n\n`)
    sessions.set(id, peer)
    peers.add(peer)
    response.once('close', () => {
      sessions.delete(id)
      peers.delete(peer)
    })
    return
  }
  const peer = sessions.get(url.searchParams.get('sessionId') ?? '')
  if (peer === undefined) return void response.writeHead(404).end()
  const body = await bodyOf(request)
  response.writeHead(202).end('Accepted')
  await peer.receive(JSON.parse(body), peer.push)
}

function openEvents(response: ServerResponse, headers: Record<string, string> = {}): Send {
  response.writeHead(200, { 'content-type': 'text/event-stream', ...headers }).flushHeaders()
  return (message) => void response.write(`event: message\ndata: ${JSON.stringify(message)}\n\n`)
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

if (behaviour === 'crash-at-start') process.exit(1)
if (behaviour === 'needs-variable' && !process.env['DATABASE_URL']) {
  process.stderr.write('Please set DATABASE_URL\n')
  process.exit(1)
}
if (transport === 'stdio') serveStdio()
else {
  const serve = transport === 'sse' ? serveSse : serveStreamable
  const server = createServer((request, response) => void serve(request, response))
  server.listen(Number(flags.get('--port') ?? 0), flags.get('--host') ?? '127.0.0.1', () => {
    const address = server.address()
    process.stderr.write(`listening on ${typeof address === 'object' ? address?.port : address}\n`)
  })
}
