import { createServer, type IncomingMessage, type Server as HttpServer, type ServerResponse } from 'node:http'
import { createServer as createNetServer, type OnReadOpts, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { showPlace } from '@toolhaven/contract/listed-host'
import type { OutboundRules, Sighting } from '@toolhaven/core/ports/egress'
import type { Decision } from './decision.ts'
import { Blocked, type Connect, connectOverTcp, dial, Unreachable } from './dial.ts'
import { LONGEST_QUESTION } from './dns-message.ts'
import { Download } from './download.ts'
import { GateSockets } from './gate-sockets.ts'
import { createLimiter } from '@toolhaven/core/workloads/limiter'
import { type LookUpRecords, lookUpWithSystem } from './look-up-records.ts'
import { NameAnswers } from './name-answers.ts'
import { isMappedRange, type NameMap } from './name-map.ts'
import { createOwnAddresses } from './own-addresses.ts'
import { type Destination, isListedPort, type OwnSide, withLocalhost } from './outbound-policy.ts'
import { passOn, readDirectTarget, readTarget } from './plain-request.ts'
import { LONGEST_LINE, readAuthority, readDialled } from './read-destination.ts'
import { lineOf, readFirst, sizedMessage } from './read-first.ts'
import { answer, messageOf, outcomeOf, refuse, statusOf } from './refusals.ts'
import type { Resolve } from './system-resolver.ts'
import { type Contents, openTunnel, type TunnelOptions } from './tunnel.ts'

export interface EgressGateOptions {
  /** Its folder must be accessible only to the daemon's user. */
  socketPath: string
  rules: OutboundRules
  /** Called for every requested connection. The socket tells which workload opened it. */
  onDecision: (decision: Decision) => void
  /** Called with the outcome of each connection, once its protocol is known. */
  onSeen?: (sighting: Sighting) => void
  /** Whether the daemon, one of its workloads or the container engine listens on this port of this machine. */
  isOwnPort?: (port: number) => boolean
  /** The address of the container engine's API, if it is on a TCP port. */
  engine?: Destination
  /** Default: read from the system. */
  ownAddresses?: () => readonly string[]
  resolve: Resolve
  lookUpRecords?: LookUpRecords
  connect?: Connect
  connectMs?: number
  lookupWaitMs?: number
  maxConnections?: number
  now?: () => number
}

const CONNECT_MS = 15_000
const HEAD_MS = 20_000
const MOST_HEAD_BYTES = 16 * 1024
const MOST_CONNECTIONS = 256
/** On the other sockets, the first bytes come from a forwarder, which sends them at once. */
const FIRST_MS = 5_000
/** Limits for simultaneous lookups, for connections and DNS questions together, and how long one waits for its turn. */
const MOST_LOOKUPS = 8
const LOOKUP_WAIT_MS = 5_000
const HTTP = 80

/**
 * One workload's only way out, which decides, resolves, checks and dials. It has three sockets: an HTTP proxy, and one each for the
 * direct connections and the DNS questions of programs that do not use a proxy.
 */
export class EgressGate {
  readonly #options: EgressGateOptions
  readonly #ownAddresses: () => readonly string[]
  #dialling = 0
  readonly #lookups = createLimiter(MOST_LOOKUPS)
  readonly #sockets: GateSockets
  readonly #web: HttpServer
  /** Connections with plain requests that did not use the proxy, and their destinations. */
  readonly #dialled = new WeakMap<Duplex, Destination>()
  #rules: OutboundRules

  constructor(options: EgressGateOptions) {
    this.#options = options
    this.#ownAddresses = options.ownAddresses ?? createOwnAddresses()
    this.#rules = options.rules
    this.#sockets = new GateSockets(options.maxConnections ?? MOST_CONNECTIONS)
    this.#web = createServer({ maxHeaderSize: MOST_HEAD_BYTES, headersTimeout: HEAD_MS, requestTimeout: 0 })
    this.#web.on('connect', (request, socket, head) => void this.#tunnel(request, socket, head))
    this.#web.on('request', (request, response) => void this.#plain(request, response))
    this.#web.on('clientError', (_error, socket) => refuse(socket, 400, 'this is not a request a proxy understands'))
  }

  /** Applies to new connections. */
  set rules(rules: OutboundRules) {
    this.#rules = rules
  }

  async open(): Promise<void> {
    await this.#sockets.listen(this.#web, this.#options.socketPath)
  }

  /** Each connection begins with a line with the program's destination. An address from the map stands for its name. */
  async openDirect(socketPath: string, map: NameMap): Promise<void> {
    const server = createNetServer({ allowHalfOpen: true }, (socket) => {
      this.#direct(socket, map).catch(() => socket.destroy())
    })
    await this.#sockets.listen(server, socketPath)
  }

  /** Each connection is one DNS question. */
  async openNames(socketPath: string, map: NameMap): Promise<void> {
    const { lookUpRecords = lookUpWithSystem, now = Date.now } = this.#options
    const names = new NameAnswers({
      ...{ map, now, rules: () => this.#rules, own: () => this.#own() },
      resolve: (host) => this.#resolve(host),
      lookUpRecords: (name, kind) => this.#lookUp(() => lookUpRecords(name, kind)),
      onRefused: (host, error) => this.#refused({ host, port: 0 }, error),
    })
    const server = createNetServer({ allowHalfOpen: true }, (socket) => {
      answerName(socket, names).catch(() => socket.destroy())
    })
    await this.#sockets.listen(server, socketPath)
  }

  async close(): Promise<void> {
    await this.#sockets.close()
  }

  async #direct(socket: Socket, map: NameMap): Promise<void> {
    const read = await readFirst(socket, lineOf(LONGEST_LINE), FIRST_MS)
    const dialled = read && readDialled(read.first.toString('latin1', 0, read.first.length - 1))
    if (read === undefined || dialled === undefined) return void socket.destroy()
    const place = this.#meantBy(dialled, map)
    if (place === undefined) {
      this.#refused(dialled, new Blocked(`${showPlace(dialled)} stands for no name that was asked for`))
      return void socket.destroy()
    }
    // On port 80, each request is checked individually, as in the proxy. A listed port may carry any protocol.
    if (place.port === HTTP && !this.#rules.allowAll && !isListedPort(this.#rules, place)) {
      this.#dialled.set(socket, place)
      socket.unshift(read.rest)
      this.#web.emit('connection', socket)
      return void socket.resume()
    }
    const download = new Download()
    const remote = await this.#dial(place, download.onread)
    if (socket.destroyed) return void remote.destroy()
    this.#join(socket, remote, { place, download, head: read.rest })
  }

  /** Undefined for an address in the map's range that has no name. */
  #meantBy(dialled: Destination, map: NameMap): Destination | undefined {
    if (!isMappedRange(dialled.host)) return withLocalhost(this.#rules, dialled)
    const host = map.nameOf(dialled.host)
    return host === undefined ? undefined : { host, port: dialled.port }
  }

  async #tunnel(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const place = readAuthority(request.url ?? '')
    if (place === undefined || this.#dialled.has(socket))
      return refuse(socket, 400, 'CONNECT takes HOST:PORT of a proxy')
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
    const dialled = this.#dialled.get(request.socket)
    const target = dialled === undefined ? readTarget(request) : readDirectTarget(request, dialled)
    if (typeof target === 'string') return answer(response, 400, target)
    try {
      const remote = await this.#dial(target)
      const { host, port, path } = target
      this.#options.onSeen?.({ host, port, outcome: 'reached', speaks: 'http', path: path.split('?')[0] ?? '/' })
      if (response.destroyed) return void remote.destroy()
      this.#sockets.add(remote)
      passOn(request, response, target, remote)
    } catch (error) {
      answer(response, statusOf(error), messageOf(error))
    }
  }

  #join(socket: Duplex, remote: Socket, parts: Pick<TunnelOptions, 'place' | 'download' | 'head'>): void {
    this.#sockets.add(remote)
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
    const { connect = connectOverTcp, connectMs = CONNECT_MS, engine } = this.#options
    try {
      // Connections are limited, but one of them can carry many requests at once.
      if (this.#dialling >= (this.#options.maxConnections ?? MOST_CONNECTIONS))
        throw new Unreachable(`${host}:${port} is one of too many at a time`)
      this.#dialling += 1
      const resolve = (name: string) => this.#resolve(name)
      const options = { rules: this.#rules, resolve, own: () => this.#own(), engine, connect, connectMs, onread }
      const socket = await dial(options, { host, port }).finally(() => (this.#dialling -= 1))
      this.#options.onDecision({ host, port, isAllowed: true })
      return socket
    } catch (error) {
      this.#refused({ host, port }, error)
      throw error
    }
  }

  #resolve(host: string): Promise<readonly string[]> {
    return this.#lookUp(() => this.#options.resolve(host))
  }

  #lookUp<T>(work: () => Promise<T>): Promise<T> {
    const limit = AbortSignal.timeout(this.#options.lookupWaitMs ?? LOOKUP_WAIT_MS)
    return this.#lookups(work, limit).catch((error: unknown) => {
      throw error === limit.reason ? new Unreachable('too many names are looked up at a time') : error
    })
  }

  #refused({ host, port }: Destination, error: unknown): void {
    const reason = messageOf(error)
    this.#options.onDecision({ host, port, isAllowed: !(error instanceof Blocked), reason })
    this.#options.onSeen?.({ host, port, outcome: outcomeOf(error), reason: reason.replace(/^blocked: /, '') })
  }

  #own(): OwnSide {
    return { addresses: this.#ownAddresses(), isOwnPort: this.#options.isOwnPort ?? (() => false) }
  }
}

async function answerName(socket: Socket, names: NameAnswers): Promise<void> {
  const asked = await readFirst(socket, sizedMessage(LONGEST_QUESTION), FIRST_MS)
  const answered = asked && (await names.answer(asked.first.subarray(2)))
  if (answered === undefined) return void socket.destroy()
  const length = Buffer.alloc(2)
  length.writeUInt16BE(answered.length)
  socket.end(Buffer.concat([length, answered]), () => socket.destroy())
}
