import { randomBytes } from 'node:crypto'
import type { GatewayLimits } from '../endpoint/options.ts'
import { isObject, type JsonObject, type RpcRequest } from '../messages/json-rpc.ts'
import { AnswerStreams } from './answer-streams.ts'
import type { KeptBytes } from './kept-bytes.ts'
import { Outbox } from './outbox.ts'
import type { StoredSession } from './session-store.ts'

/** A client that has no connection and was silent for this long may be gone for good. */
export const UNHEARD_MS = 60_000

/** `modern`: for stateless clients. Its session belongs to the gateway. */
export type Front = 'streamable-http' | 'sse' | 'modern'

/** The maker of a call, without the call itself, which may be large: this is remembered for a while. */
export interface Cause {
  readonly session: Session
}

/** A request of the client that is not answered yet, as other code may use it. */
export interface OpenCall {
  readonly session: Session
  readonly cause: Cause
  readonly request: RpcRequest
  readonly isAwaited: boolean
  /** Set by the backend that carries it once its server asked something: the question no longer needs an answer. */
  onOver: (() => void) | undefined
  answer(body: JsonObject, text?: string): void
  fail(reason: string): void
  related(text: string): void
  pause(retryMs: number | undefined): void
  cancel(params: JsonObject): void
}

/** One client of one endpoint. It outlives the server behind the endpoint, and (streamable HTTP) the daemon. */
export class Session {
  readonly id: string
  readonly front: Front
  readonly outbox: Outbox
  readonly #limits: GatewayLimits
  /** Created with the first one: most calls are answered without a stream. */
  #answers: AnswerStreams | undefined
  /** In flight, by the client's own ids. */
  readonly calls = new Map<string, OpenCall>()
  readonly subscriptions = new Set<string>()
  /** How many it will soon have: the server is asked for them one by one. */
  expectedSubscriptions = 0
  version: string
  /** `params` of its initialize request. Empty until then. */
  client: JsonObject
  logLevel: string | undefined
  /**
   * For a stateless client: its caller and its description of itself. Clients with the same mark cannot be told apart.
   */
  mark: string | undefined
  /** Its counterpart at an HTTP server. */
  upstream: { processId: string; sessionId?: string | undefined } | undefined
  /** The caller who opened it: nobody else may use it, even if they learn its id. */
  owner: string | undefined
  /** Its client started a task at an HTTP server. */
  hasTasks = false
  lastSeen: number
  createdAt = Date.now()
  /** Its client closed the stream it listened on, and has been silent since. */
  isAway = false
  /** Its initialize is not answered yet. */
  isOpening = false
  /** Its initialize was answered without an error. */
  isInitialized = false
  /** A server has greeted it, perhaps one that no longer exists. */
  isServed = false
  isEnded = false

  constructor(
    front: Front,
    version: string,
    client: JsonObject,
    limits: GatewayLimits,
    id = randomBytes(24).toString('base64url'),
  ) {
    this.id = id
    this.front = front
    this.version = version
    this.client = client
    this.outbox = new Outbox(limits)
    this.#limits = limits
    this.lastSeen = Date.now()
  }

  /** Its client has a connection on which it listens, or waits for an answer. */
  get isConnected(): boolean {
    if (this.isOpening || this.outbox.stream !== undefined) return true
    for (const call of this.calls.values()) if (call.isAwaited) return true
    return false
  }

  /** A call alone does not keep it: its client may be gone for good, and its server may never answer. */
  get isIdle(): boolean {
    return !this.isConnected
  }

  /** Its client can hear what belongs to no call. For a client that is being welcomed, that follows right after. */
  get isListening(): boolean {
    return (this.front === 'modern' || this.outbox.stream !== undefined) && !this.isOpening
  }

  /** Whether the client said at initialize that it has `sampling`, `roots`, `elicitation`. */
  has(capability: string): boolean {
    const capabilities = this.client['capabilities']
    return isObject(capabilities) && isObject(capabilities[capability])
  }

  get answers(): AnswerStreams {
    return (this.#answers ??= new AnswerStreams(this.#limits, this.outbox.whole))
  }

  /** What is kept for it counts together with what is kept for others. */
  countIn(whole: KeptBytes): void {
    this.outbox.whole = whole
  }

  send(text: string): void {
    this.outbox.push(text)
  }

  close(): void {
    this.outbox.close()
    this.#answers?.close()
  }

  toStored(): StoredSession {
    const { id, version, client, lastSeen, logLevel, owner, upstream, hasTasks } = this
    const subscriptions = [...this.subscriptions]
    return { id, version, client, lastSeen, subscriptions, logLevel, owner, upstream, hasTasks }
  }

  static fromStored(stored: StoredSession, limits: GatewayLimits): Session {
    const session = new Session('streamable-http', stored.version, stored.client, limits, stored.id)
    session.lastSeen = stored.lastSeen
    session.logLevel = stored.logLevel
    session.owner = stored.owner
    session.upstream = stored.upstream
    session.hasTasks = stored.hasTasks
    session.isServed = true
    for (const uri of stored.subscriptions) session.subscriptions.add(uri)
    return session
  }
}
