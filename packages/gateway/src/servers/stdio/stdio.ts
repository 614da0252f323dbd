import type { Handshake } from '@toolhaven/core/ports/gateway'
import {
  isObject,
  isRequestId,
  requestOf,
  RPC_ERROR,
  WrittenRequest,
  type JsonObject,
  type RpcNotification,
  type RpcRequest,
  type RpcResponse,
} from '../../messages/json-rpc.ts'
import { negotiateVersion } from '../../messages/protocol-versions.ts'
import type { Call } from '../../sessions/call.ts'
import { isLogLevel, sharedLevel } from '../../sessions/log-levels.ts'
import type { Session } from '../../sessions/session.ts'
import { tellMissed } from '../../sessions/tell-missed.ts'
import type { ListPart } from '../../tools/locked-lists.ts'
import { requestLine, requestWithId } from '../../messages/with-id.ts'
import { toHandshake, type BackendLink } from '../backend.ts'
import { INITIALIZE, type Greeting, type Opening } from './greet-stdio.ts'
import { ServerMessages } from '../server-messages.ts'
import type { StdioPipe, StdioPipeOptions } from './stdio-pipe.ts'

export interface StdioBackendOptions extends StdioPipeOptions {
  start: (() => Promise<void>) | undefined
  /** What is known about this very process, which is then not asked again. */
  known: Omit<Greeting, 'opening'> | undefined
  opening: Opening
  sessions: () => Iterable<Session>
  /** Streams that are not clients of the process and hear what changes in it. Default: none. */
  listeners?: () => Iterable<Session>
  /** The process belongs to one client: the handshake, and all it leads to, is between the two. */
  isExclusive?: boolean
  /** The only client of the process. Undefined: several share it. */
  owner?: () => Session | undefined
  onAsk?: (session: Session | undefined) => void
  onListChanged?: ((part: ListPart) => void) | undefined
}

/**
 * One process shared by all clients of an endpoint. On the pipe, ids and progress tokens are ours. Clients see their
 * own, so no message can be mistaken for another client's.
 */
export class StdioBackend implements BackendLink {
  readonly era = 'legacy'
  readonly isPerSession = false
  readonly #options: StdioBackendOptions
  readonly #pipe: StdioPipe
  readonly #fromServer: ServerMessages
  /** What `replay` has already sent to the process. */
  readonly #told: { uris: Set<string>; level?: string } = { uris: new Set() }
  /** The server's answer to our initialize. */
  result: JsonObject = {}

  constructor(options: StdioBackendOptions, pipe: StdioPipe) {
    this.#options = options
    this.#pipe = pipe
    if (options.known !== undefined) pipe.pending.takeOver()
    const fromServer = new ServerMessages({
      pending: pipe.pending,
      sessions: options.sessions,
      listeners: options.listeners,
      write: (body) => this.#write(body),
      onListChanged: options.onListChanged,
      owner: options.owner,
      isExclusive: options.isExclusive,
      onAsk: options.onAsk,
    })
    this.#fromServer = fromServer
    pipe.onMessage = (message) => fromServer.receive(message)
  }

  get handshake(): Handshake {
    return toHandshake(this.result)
  }

  /** `isNew`: the process has just answered initialize and knows nothing about our clients. */
  begin(result: JsonObject, isNew: boolean): void {
    this.result = result
    if (isNew && this.#options.isExclusive !== true) this.#startOver()
  }

  async initialize(session: Session, request: RpcRequest): Promise<JsonObject> {
    session.isServed = true
    if (this.#options.isExclusive === true) return this.#ownHandshake(request)
    const { capabilities, ...rest } = this.result
    // Every client could list and cancel the tasks of the others at a shared server.
    const shown = isObject(capabilities)
      ? Object.fromEntries(Object.entries(capabilities).filter(([key]) => key !== 'tasks'))
      : {}
    const result = {
      ...rest,
      protocolVersion: negotiateVersion(request.params?.['protocolVersion']),
      capabilities: shown,
    }
    return { jsonrpc: '2.0', id: request.id, result }
  }

  /**
   * Repeats the handshake of a session whose client had it with another process, and what the client has asked for
   * since.
   */
  async takeOver(session: Session): Promise<JsonObject> {
    const body = await this.#ownHandshake(requestOf(0, 'initialize', session.client))
    if ('result' in body) this.#startOver()
    return body
  }

  /** The gateway's own handshake, for clients that cannot answer questions. */
  async greetForAll(): Promise<JsonObject> {
    const signal = AbortSignal.timeout(this.#options.limits.handshakeMs)
    const body = await this.#pipe.ask('initialize', { ...INITIALIZE, capabilities: {} }, signal)
    if (!isObject(body['result'])) return body
    this.result = body['result']
    this.#startOver()
    return body
  }

  /** Tells the process what its clients have asked of others since the last time. */
  replay(): void {
    const { sessions, listeners = () => [] } = this.#options
    const all = [...sessions(), ...listeners()].flatMap(({ subscriptions }) => [...subscriptions])
    for (const uri of all) {
      if (this.#told.uris.has(uri)) continue
      this.#told.uris.add(uri)
      void this.#tell('resources/subscribe', { uri })
    }
    const level = sharedLevel(sessions())
    if (level === undefined || level === this.#told.level) return
    this.#told.level = level
    void this.#tell('logging/setLevel', { level })
  }

  /** Calls `work` as soon as the server has answered everything. */
  whenIdle(work: () => void): void {
    this.#pipe.pending.whenEmpty(work)
  }

  /** Whether no other client's call was ever sent to the process. Undefined: no client's call at all. */
  hasServedOnly(session: Session | undefined): boolean {
    return this.#pipe.pending.hasServedOnly(session)
  }

  request(call: Call): void {
    const { method, params } = call.request
    if (method.startsWith('tasks/') && this.#options.isExclusive !== true)
      return call.fail(`Method not found: ${method}`, RPC_ERROR.methodNotFound)
    if (method === 'logging/setLevel') return this.#setLevel(call)
    if (method === 'resources/subscribe' || method === 'resources/unsubscribe')
      return this.#subscription(call, params?.['uri'])
    this.#forward(call, params)
  }

  ask(method: string, params: JsonObject, signal: AbortSignal): Promise<JsonObject> {
    return this.#pipe.ask(method, params, signal)
  }

  notify(session: Session, notification: RpcNotification): void {
    const { method, params } = notification
    // Cancellations were handled on the call itself. The handshake with a shared process is ours and done.
    if (method === 'notifications/cancelled') return
    if (method === 'notifications/initialized' && this.#options.isExclusive !== true) return
    if (method === 'notifications/progress' && !this.#fromServer.isAskedWithToken(session, params?.['progressToken']))
      return
    this.#write(notification.body)
  }

  respond(session: Session, response: RpcResponse): void {
    this.#fromServer.respond(session, response)
  }

  /** Messages for the client wait in its outbox: there is nothing to open here. */
  listen(): void {}

  endSession(session: Session): void {
    this.#fromServer.endSession(session)
    for (const uri of session.subscriptions) {
      if (!this.#isSubscribed(uri, session)) void this.#tell('resources/unsubscribe', { uri })
    }
  }

  async ping(signal: AbortSignal): Promise<void> {
    await this.#pipe.ask('ping', undefined, signal)
  }

  stop(reason: string, keepOpen: boolean): void {
    this.#pipe.stop(reason, keepOpen)
  }

  async #ownHandshake({ id, params }: RpcRequest): Promise<JsonObject> {
    const asked = { ...params, protocolVersion: negotiateVersion(params?.['protocolVersion']) }
    const body = await this.#pipe.ask('initialize', asked, AbortSignal.timeout(this.#options.limits.handshakeMs))
    return { ...body, id }
  }

  #forward(call: Call, params: JsonObject | undefined, onOk?: () => void): void {
    const id = this.#pipe.pending.add({
      call,
      onAnswer: (body, text) => {
        if ('result' in body) onOk?.()
        call.answer(body, text)
      },
      onBytes: onOk === undefined ? (line, from, to) => call.answerBytes(line, from, to) : undefined,
      onLost: (reason) => call.fail(reason),
    })
    call.onCancel = (cancelled) => {
      if (!this.#pipe.pending.cancel(id)) return
      this.#write({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { ...cancelled, requestId: id } })
    }
    const sent = this.#send(call.request, id, params === undefined ? undefined : withProgressToken(params, id))
    if (!sent) this.#pipe.pending.take(id)?.onLost('the server does not read its input. Try again later')
    this.#fromServer.callBegan()
  }

  #send(request: RpcRequest, id: number, params: JsonObject | undefined): boolean {
    const isAsItCame = params === request.params && !(request instanceof WrittenRequest)
    const { bytes, outline } = request
    const line = isAsItCame && bytes !== undefined ? requestLine(bytes, request.id, id, outline) : undefined
    if (line !== undefined) return this.#pipe.writeLine(line)
    const text = isAsItCame ? requestWithId(request.text, request.id, id) : undefined
    if (text !== undefined) return this.#pipe.writeText(text)
    return this.#write({ ...request.body, id, ...(params === undefined ? {} : { params }) })
  }

  #setLevel(call: Call): void {
    const { session } = call
    const level = call.request.params?.['level']
    if (!isLogLevel(level)) return call.fail('Invalid params: level is not a log level', RPC_ERROR.invalidParams)
    const before = session.logLevel
    session.logLevel = level
    const shared = sharedLevel(this.#options.sessions()) ?? level
    session.logLevel = before
    this.#forward(call, { ...call.request.params, level: shared }, () => {
      session.logLevel = level
    })
  }

  #subscription(call: Call, uri: unknown): void {
    const { session } = call
    const { method, params } = call.request
    if (typeof uri !== 'string') return call.fail('Invalid params: uri must be a string', RPC_ERROR.invalidParams)
    if (method === 'resources/subscribe') return this.#subscribe(call, uri)
    session.subscriptions.delete(uri)
    if (this.#isSubscribed(uri, session)) return call.answer({ jsonrpc: '2.0', result: {} })
    this.#forward(call, params)
  }

  #subscribe(call: Call, uri: string): void {
    const { session } = call
    this.#forward(call, call.request.params, () => session.subscriptions.add(uri))
    const cancel = call.onCancel
    call.onCancel = (params) => {
      cancel?.(params)
      // The server may have subscribed all the same, although no client wants it any more.
      if (!session.subscriptions.has(uri) && !this.#isSubscribed(uri, session))
        void this.#tell('resources/unsubscribe', { uri })
    }
  }

  #isSubscribed(uri: string, except: Session): boolean {
    for (const session of this.#options.sessions())
      if (session !== except && session.subscriptions.has(uri)) return true
    return false
  }

  /** A new process knows nothing about what clients asked of the former one. */
  #startOver(): void {
    this.#write({ jsonrpc: '2.0', method: 'notifications/initialized' })
    this.replay()
    this.#tellMissed()
  }

  #tellMissed(): void {
    for (const session of this.#options.sessions()) tellMissed(session, this.result)
  }

  /** Sends a request whose answer does not matter: a refusal changes nothing for anybody. */
  #tell(method: string, params: JsonObject): Promise<unknown> {
    return this.#pipe.ask(method, params, AbortSignal.timeout(this.#options.limits.handshakeMs)).catch(() => undefined)
  }

  #write(body: JsonObject): boolean {
    return this.#pipe.write(body)
  }
}

function withProgressToken(params: JsonObject, token: number): JsonObject {
  const meta = params['_meta']
  if (!isObject(meta) || !isRequestId(meta['progressToken'])) return params
  return { ...params, _meta: { ...meta, progressToken: token } }
}
