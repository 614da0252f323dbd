import { once } from 'node:events'
import { chmod, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, type Server as HttpServer, type ServerResponse } from 'node:http'
import { createServer as createNetServer, type OnReadOpts, type Server, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { unavailable } from '@toolhaven/core/errors'
import type { OutboundRules, Sighting } from '@toolhaven/core/ports/egress'
import type { Decision } from './decision.ts'
import { Blocked, type Connect, connectOverTcp, dial, type Resolve, resolveWithSystem, Unlisted } from './dial.ts'
import { Download } from './download.ts'
import type { Destination } from './outbound-policy.ts'
import { passOn, readTarget } from './plain-request.ts'
import { readAuthority } from './read-destination.ts'
import { type Contents, openTunnel, type TunnelOptions } from './tunnel.ts'

export interface EgressGateOptions {
  /** In a folder that only the daemon's user can enter. */
  socketPath: string
  rules: OutboundRules
  /** Every connection asked for; the socket it came on says by whom. */
  onDecision: (decision: Decision) => void
  /** What became of each: told once it is known what went through. */
  onSeen?: (sighting: Sighting) => void
  resolve?: Resolve
  connect?: Connect
  connectMs?: number
  maxConnections?: number
}

const CONNECT_MS = 15_000
const HEAD_MS = 20_000
const MOST_HEAD_BYTES = 16 * 1024
const MOST_CONNECTIONS = 256
/** What a unix socket's address holds. Node cuts a longer one without a word and binds another file. */
const LONGEST_PATH = 107

/** One workload's only way out: an HTTP proxy on a socket of its own, which decides, resolves, vets and dials. */
export class EgressGate {
  readonly #options: EgressGateOptions
  readonly #servers: (Server | HttpServer)[] = []
  readonly #sockets = new Set<Duplex>()
  readonly #paths: string[] = []
  #rules: OutboundRules

  constructor(options: EgressGateOptions) {
    this.#options = options
    this.#rules = options.rules
  }

  /** Holds for connections from now on. */
  set rules(rules: OutboundRules) {
    this.#rules = rules
  }

  async open(): Promise<void> {
    const server = createServer({ maxHeaderSize: MOST_HEAD_BYTES, headersTimeout: HEAD_MS, requestTimeout: 0 })
    server.on('connect', (request, socket, head) => void this.#tunnel(request, socket, head))
    server.on('request', (request, response) => void this.#plain(request, response))
    server.on('clientError', (_error, socket) => refuse(socket, 400, 'this is not a request a proxy understands'))
    await this.#listen(server, this.#options.socketPath)
  }

  /** A socket that leads to one place, for programs that know nothing of proxies. */
  async openDirect(socketPath: string, place: Destination): Promise<void> {
    const server = createNetServer({ allowHalfOpen: true }, (socket) => {
      socket.pause()
      const download = new Download()
      this.#dial(place, download.onread).then(
        (remote) => this.#join(socket, remote, { place, download }),
        () => socket.destroy(),
      )
    })
    await this.#listen(server, socketPath)
  }

  async close(): Promise<void> {
    const closed = this.#servers.map((server) => new Promise((done) => server.close(done)))
    for (const socket of this.#sockets) socket.destroy()
    await Promise.all(closed)
    for (const path of this.#paths) await rm(path, { force: true })
  }

  async #listen(server: Server | HttpServer, path: string): Promise<void> {
    if (Buffer.byteLength(path) > LONGEST_PATH)
      throw unavailable(
        `the socket path ${path} is longer than ${LONGEST_PATH} bytes; choose a shorter XDG_RUNTIME_DIR`,
      )
    server.maxConnections = this.#options.maxConnections ?? MOST_CONNECTIONS
    server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket)
      socket.on('error', () => socket.destroy())
      socket.once('close', () => this.#sockets.delete(socket))
    })
    await rm(path, { force: true })
    server.listen(path)
    await once(server, 'listening')
    await chmod(path, 0o600)
    this.#servers.push(server)
    this.#paths.push(path)
  }

  async #tunnel(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const place = readAuthority(request.url ?? '')
    if (place === undefined) return refuse(socket, 400, 'CONNECT takes HOST:PORT')
    try {
      const download = new Download()
      const remote = await this.#dial(place, download.onread)
      if (socket.destroyed) return void remote.destroy()
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
      this.#join(socket, remote, { place, download, head })
    } catch (error) {
      refuse(socket, statusOf(error), messageOf(error))
    }
  }

  async #plain(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const target = readTarget(request)
    if (typeof target === 'string') return answer(response, 400, target)
    try {
      const remote = await this.#dial(target)
      const { host, port, path } = target
      this.#options.onSeen?.({ host, port, outcome: 'reached', speaks: 'http', path: path.split('?')[0] ?? '/' })
      if (response.destroyed) return void remote.destroy()
      this.#sockets.add(remote)
      remote.once('close', () => this.#sockets.delete(remote))
      passOn(request, response, target, remote)
    } catch (error) {
      answer(response, statusOf(error), messageOf(error))
    }
  }

  #join(socket: Duplex, remote: Socket, parts: Pick<TunnelOptions, 'place' | 'download' | 'head'>): void {
    this.#sockets.add(remote)
    remote.once('close', () => this.#sockets.delete(remote))
    const rules = this.#rules
    const onContents = (contents: Contents) => this.#contents(parts.place, rules, contents)
    openTunnel(socket, remote, { ...parts, rules, onContents })
  }

  #contents(
    { host, port }: Destination,
    { allowAll }: OutboundRules,
    { fault: reason, isListable, ...contents }: Contents,
  ): void {
    const isCut = reason !== undefined && !allowAll
    if (isCut) this.#options.onDecision({ host, port, isAllowed: false, reason })
    const outcome = reason === undefined ? 'reached' : allowAll ? 'unfit' : isListable ? 'unlisted' : 'refused'
    this.#options.onSeen?.({ host, port, outcome, ...contents, ...(reason && { reason }) })
  }

  async #dial({ host, port }: Destination, onread?: OnReadOpts): Promise<Socket> {
    const { resolve = resolveWithSystem, connect = connectOverTcp, connectMs = CONNECT_MS } = this.#options
    try {
      const socket = await dial({ rules: this.#rules, resolve, connect, connectMs, onread }, { host, port })
      this.#options.onDecision({ host, port, isAllowed: true })
      return socket
    } catch (error) {
      const reason = messageOf(error)
      this.#options.onDecision({ host, port, isAllowed: !(error instanceof Blocked), reason })
      this.#options.onSeen?.({ host, port, outcome: outcomeOf(error), reason: reason.replace(/^blocked: /, '') })
      throw error
    }
  }
}

function outcomeOf(error: unknown): Sighting['outcome'] {
  if (error instanceof Unlisted) return 'unlisted'
  return error instanceof Blocked ? 'refused' : 'unreachable'
}

function statusOf(error: unknown): number {
  return error instanceof Blocked ? 403 : 502
}

function messageOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error)
  return error instanceof Blocked ? `blocked: ${text}` : text
}

function answer(response: ServerResponse, status: number, text: string): void {
  if (response.headersSent || response.destroyed) return
  response.writeHead(status, { 'content-type': 'text/plain', connection: 'close' }).end(`${text}\n`)
}

function refuse(socket: Duplex, status: number, text: string): void {
  if (socket.destroyed || !socket.writable) return void socket.destroy()
  const body = `${text}\n`
  socket.end(
    `HTTP/1.1 ${status} Refused\r\ncontent-type: text/plain\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  )
}
