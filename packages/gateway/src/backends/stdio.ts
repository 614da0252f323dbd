import type { Handshake } from '@toolhaven/core/ports/gateway'
import type { Logger } from '@toolhaven/core/ports/logger'
import type { StdioChannel } from '@toolhaven/core/ports/runtime'
import { ThvError, unavailable } from '@toolhaven/core/errors'
import {
  isObject,
  isRequestId,
  RPC_ERROR,
  type JsonObject,
  type RpcNotification,
  type RpcRequest,
  type RpcResponse,
} from '../json-rpc.ts'
import type { GatewayLimits } from '../options.ts'
import { negotiateVersion, NEWEST_VERSION } from '../protocol-versions.ts'
import type { Call } from '../sessions/call.ts'
import { isLogLevel, sharedLevel } from '../sessions/log-levels.ts'
import type { Session } from '../sessions/session.ts'
import { GATEWAY_CAPABILITIES, GATEWAY_CLIENT, toHandshake, type BackendLink } from './backend.ts'
import { PendingCalls } from './pending-calls.ts'
import { ServerMessages } from './server-messages.ts'
import { StdioWire } from './stdio-wire.ts'

export interface StdioBackendOptions {
  name: string
  channel: StdioChannel
  start: (() => Promise<void>) | undefined
  /** What this very process answered before; then it is not asked again. */
  knownResult: JsonObject | undefined
  sessions: () => Iterable<Session>
  limits: GatewayLimits
  logger: Logger
  onOutput: (stream: 'stdout' | 'stderr', text: string) => void
  onLost: (reason: string) => void
}

/** Puts the channel to work, starts the process and shakes hands with it. */
export async function connectStdio(options: StdioBackendOptions, signal: AbortSignal): Promise<StdioBackend> {
  const backend = new StdioBackend(options)
  try {
    await options.start?.()
    await backend.shakeHands(AbortSignal.any([signal, AbortSignal.timeout(options.limits.handshakeMs)]))
    return backend
  } catch (error) {
    backend.stop('the server could not be started', false)
    if (error instanceof ThvError) throw error
    const why =
      error instanceof Error && error.name === 'TimeoutError'
        ? 'it did not answer to initialize in time'
        : String(error)
    throw unavailable(`The server ${options.name} did not complete the MCP handshake: ${why}; look at its logs.`, error)
  }
}

/**
 * One process shared by all clients of an endpoint. Ids and progress tokens are ours on the pipe and the client's own
 * outside, so nobody's messages can be taken for another's.
 */
export class StdioBackend implements BackendLink {
  readonly #options: StdioBackendOptions
  readonly #pending = new PendingCalls()
  readonly #wire: StdioWire
  readonly #fromServer: ServerMessages
  /** The server's answer to our initialize. */
  result: JsonObject = {}

  constructor(options: StdioBackendOptions) {
    this.#options = options
    this.#fromServer = new ServerMessages({
      pending: this.#pending,
      sessions: options.sessions,
      write: (body) => this.#write(body),
    })
    this.#wire = new StdioWire({
      ...options,
      onMessage: (message) => this.#fromServer.receive(message),
      onAnswerDropped: (id) =>
        this.#pending.take(id)?.onLost(`the answer is over the limit of ${options.limits.maxMessageBytes} bytes`),
      onClosed: (reason) => {
        this.#pending.failAll(reason)
        options.onLost(reason)
      },
    })
  }

  get handshake(): Handshake {
    return toHandshake(this.result)
  }

  async shakeHands(signal: AbortSignal): Promise<void> {
    if (this.#options.knownResult !== undefined) {
      this.result = this.#options.knownResult
      return
    }
    const params = { protocolVersion: NEWEST_VERSION, capabilities: GATEWAY_CAPABILITIES, clientInfo: GATEWAY_CLIENT }
    const answer = await this.#ask('initialize', params, signal)
    if (!isObject(answer['result']))
      throw unavailable(`The server ${this.#options.name} refused the MCP handshake; look at its logs.`)
    this.result = answer['result']
    this.#write({ jsonrpc: '2.0', method: 'notifications/initialized' })
    this.#replayState()
  }

  async initialize(_session: Session, request: RpcRequest): Promise<JsonObject> {
    const { capabilities, ...rest } = this.result
    // Tasks of a shared server would be everybody's: each client could list and cancel the others'.
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

  request(call: Call): void {
    const { method, params } = call.request
    if (method.startsWith('tasks/')) return call.fail(`Method not found: ${method}`, RPC_ERROR.methodNotFound)
    if (method === 'logging/setLevel') return this.#setLevel(call)
    if (method === 'resources/subscribe' || method === 'resources/unsubscribe')
      return this.#subscription(call, params?.['uri'])
    this.#forward(call, params)
  }

  notify(session: Session, notification: RpcNotification): void {
    const { method, params } = notification
    // The handshake with the process is ours and done; cancellations were handled on the call itself.
    if (method === 'notifications/initialized' || method === 'notifications/cancelled') return
    if (method === 'notifications/progress' && !this.#fromServer.isAskedWithToken(session, params?.['progressToken']))
      return
    if (method === 'notifications/roots/list_changed') this.#fromServer.rootsChanged(session)
    this.#write(notification.body)
  }

  respond(session: Session, response: RpcResponse): void {
    this.#fromServer.respond(session, response)
  }

  /** Messages for the client wait in its outbox; nothing to open here. */
  listen(): void {}

  endSession(session: Session): void {
    this.#fromServer.endSession(session)
    for (const uri of session.subscriptions) {
      if (!this.#isSubscribed(uri, session)) void this.#tell('resources/unsubscribe', { uri })
    }
  }

  async ping(signal: AbortSignal): Promise<void> {
    await this.#ask('ping', undefined, signal)
  }

  stop(reason: string, keepOpen: boolean): void {
    this.#wire.stop(keepOpen)
    this.#pending.failAll(reason)
  }

  #forward(call: Call, params: JsonObject | undefined, onOk?: () => void): void {
    const id = this.#pending.add({
      call,
      onAnswer: (body) => {
        if ('result' in body) onOk?.()
        call.answer(body)
      },
      onLost: (reason) => call.fail(reason),
    })
    call.onCancel = (cancelled) => {
      if (this.#pending.take(id) === undefined) return
      this.#write({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { ...cancelled, requestId: id } })
    }
    const sent = this.#write({
      ...call.request.body,
      id,
      ...(params === undefined ? {} : { params: withProgressToken(params, id) }),
    })
    if (!sent) this.#pending.take(id)?.onLost('the server does not read its input; try again later')
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
    if (method === 'resources/subscribe') return this.#forward(call, params, () => session.subscriptions.add(uri))
    session.subscriptions.delete(uri)
    if (this.#isSubscribed(uri, session)) return call.answer({ jsonrpc: '2.0', result: {} })
    this.#forward(call, params)
  }

  #isSubscribed(uri: string, except: Session): boolean {
    for (const session of this.#options.sessions())
      if (session !== except && session.subscriptions.has(uri)) return true
    return false
  }

  /** A new process knows nothing of what clients asked of the former one. */
  #replayState(): void {
    const uris = new Set([...this.#options.sessions()].flatMap((session) => [...session.subscriptions]))
    for (const uri of uris) void this.#tell('resources/subscribe', { uri })
    const level = sharedLevel(this.#options.sessions())
    if (level !== undefined) void this.#tell('logging/setLevel', { level })
  }

  /** Asks without caring for the answer: a refusal changes nothing for anybody. */
  #tell(method: string, params: JsonObject): Promise<unknown> {
    return this.#ask(method, params, AbortSignal.timeout(this.#options.limits.handshakeMs)).catch(() => undefined)
  }

  #ask(method: string, params: JsonObject | undefined, signal: AbortSignal): Promise<JsonObject> {
    return new Promise((resolve, reject) => {
      signal.throwIfAborted()
      const id = this.#pending.add({
        call: undefined,
        onAnswer: (body) => {
          signal.removeEventListener('abort', onAbort)
          resolve(body)
        },
        onLost: (reason) => {
          signal.removeEventListener('abort', onAbort)
          reject(unavailable(`The server ${this.#options.name} did not answer ${method}: ${reason}.`))
        },
      })
      const onAbort = () => {
        this.#pending.take(id)
        reject(signal.reason)
      }
      signal.addEventListener('abort', onAbort, { once: true })
      const sent = this.#write({ jsonrpc: '2.0', id, method, ...(params === undefined ? {} : { params }) })
      if (!sent) this.#pending.take(id)?.onLost('its input is closed or full')
    })
  }

  #write(body: JsonObject): boolean {
    return this.#wire.write(JSON.stringify(body))
  }
}

function withProgressToken(params: JsonObject, token: number): JsonObject {
  const meta = params['_meta']
  if (!isObject(meta) || !isRequestId(meta['progressToken'])) return params
  return { ...params, _meta: { ...meta, progressToken: token } }
}
