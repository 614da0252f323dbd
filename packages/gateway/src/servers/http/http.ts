import { setTimeout as pause } from 'node:timers/promises'
import { backoffMs } from '@toolhaven/contract/backoff'
import type { Handshake } from '@toolhaven/core/ports/gateway'
import { isThvError, unavailable } from '@toolhaven/core/errors'
import {
  idKey,
  isObject,
  requestOf,
  type JsonObject,
  type RpcNotification,
  type RpcRequest,
  type RpcResponse,
} from '../../messages/json-rpc.ts'
import { NEWEST_VERSION } from '../../messages/protocol-versions.ts'
import { askInNameOf, Call } from '../../sessions/call.ts'
import { canAnswerSome } from '../../sessions/server-requests.ts'
import { Session } from '../../sessions/session.ts'
import { abortable } from '../abortable.ts'
import { GATEWAY_CLIENT, toHandshake, type BackendLink } from '../backend.ts'
import type { HttpBackendOptions } from './http-options.ts'
import { HttpSession } from './http-session.ts'
import { SseUpstream } from './sse-upstream.ts'
import { StreamableUpstream } from './streamable-upstream.ts'
import { rememberTask } from './remember.ts'
import { isFinalOfRemote, reasonOf } from './remote-failure.ts'
import { Refused } from './upstream.ts'
import { UpstreamTarget } from '../../http/client/upstream-target.ts'
import { within } from '../within.ts'

const PAUSES = { firstMs: 25, longestMs: 2000, factor: 1.5 }

/** Waits until the server says which era it speaks. */
export async function connectHttp(options: HttpBackendOptions, signal: AbortSignal): Promise<BackendLink> {
  const { name, backend, limits } = options
  const limit = backend.isRemote ? AbortSignal.any([signal, AbortSignal.timeout(limits.remoteMs)]) : signal
  let told: unknown
  for (let tries = 1; ; tries += 1) {
    try {
      return await greet(options, limit)
    } catch (error) {
      // If the time ended in the middle of an attempt, the attempt before it says more about the server.
      if (!limit.aborted || told === undefined) told = error
      // It needs a login, or one that cannot be made: reported as it is.
      if (isThvError(error)) throw error
      const isFinal = backend.isRemote ? isFinalOfRemote(error, tries) : error instanceof Refused && error.isFinal
      // The signal is checked below, whether or not it ended the pause.
      if (!isFinal) await pause(backoffMs(tries, PAUSES), undefined, { signal: limit }).catch(() => undefined)
      if (isFinal || limit.aborted)
        throw unavailable(`The server ${name} did not complete the MCP handshake: ${reasonOf(told, options)}.`, told)
    }
  }
}

/**
 * Sends a stateless request first, as its revision says, then the older handshake when that is not understood. A server
 * that says nothing is asked both, and its answer to the first counts if it comes in time.
 */
async function greet(options: HttpBackendOptions, signal: AbortSignal): Promise<BackendLink> {
  const { connectModern } = await import('../stateless/connect-modern.ts')
  const silence = Promise.withResolvers<undefined>()
  const givenUp = new AbortController()
  const ended = AbortSignal.any([signal, givenUp.signal])
  const probe = connectModern(options, targetOf(options), () => silence.resolve(undefined), ended)
  const modern = await Promise.race([probe, silence.promise])
  if (modern !== undefined) return modern
  const backend = new HttpBackend(options)
  const askedAt = performance.now()
  const failure = await backend.shakeHands(signal).then(
    () => undefined,
    (error: unknown) => ({ error }),
  )
  // It was asked first, so its answer comes first, or soon after. A server that refused the handshake may be slow.
  const lateMs = failure ? options.limits.probeMs : performance.now() - askedAt
  const late = await within(probe, lateMs).catch(() => undefined)
  if (late === undefined && failure === undefined) {
    givenUp.abort()
    void probe.then((link) => link?.stop('it is a server with sessions', false)).catch(() => undefined)
    return backend
  }
  backend.stop(late ? 'it is a stateless server' : 'the server could not be reached')
  if (late !== undefined) return late
  givenUp.abort()
  throw failure?.error
}

function targetOf({ backend, authorizer, ownAddresses }: HttpBackendOptions): UpstreamTarget {
  const { headers, socketPath, publicOnly, caCertificate } = backend
  const vetting = { publicOnly, ownAddresses }
  return new UpstreamTarget({ url: new URL(backend.url), headers, socketPath, ...vetting, caCertificate, authorizer })
}

/** An HTTP server: each client has its own session there, and the gateway has one for pings. */
export class HttpBackend implements BackendLink {
  readonly era = 'legacy'
  readonly isPerSession = true
  readonly #options: HttpBackendOptions
  readonly #target: UpstreamTarget
  readonly #sessions = new Map<Session, HttpSession>()
  readonly #own: Session
  /** Sessions at the server that are for one call each. */
  readonly #ofCalls = new Map<Call, Session>()
  /** The server asks or logs outside the answers to calls. */
  #speaksOutside: boolean
  result: JsonObject = {}
  farewell: Promise<void> | undefined
  #isReady = false
  #pings = 0
  #asked = 0

  constructor(options: HttpBackendOptions) {
    this.#options = options
    this.#target = targetOf(options)
    // The older transport has no other way.
    this.#speaksOutside = options.backend.transport === 'sse'
    this.#own = new Session(
      'streamable-http',
      NEWEST_VERSION,
      { protocolVersion: NEWEST_VERSION, capabilities: {}, clientInfo: GATEWAY_CLIENT },
      options.limits,
    )
  }

  get handshake(): Handshake {
    return toHandshake(this.result)
  }

  async shakeHands(signal: AbortSignal): Promise<void> {
    const request = requestOf(0, 'initialize', this.#own.client)
    const answer = await abortable(this.#of(this.#own).initialize(request, {}), signal)
    if (!isObject(answer['result']))
      throw new Error(
        'it accepted neither server/discover nor initialize, so it speaks no revision of MCP that Toolhaven knows',
      )
    this.result = answer['result']
    this.#own.version = this.handshake.protocolVersion
    this.#isReady = true
  }

  initialize(session: Session, request: RpcRequest, headers: Readonly<Record<string, string>>): Promise<JsonObject> {
    return this.#of(session).initialize(request, headers)
  }

  request(call: Call): void {
    // The log level belongs to the client and applies to its later calls: a session for one call would end with it.
    const isForOneCall = call.request.method !== 'logging/setLevel' && this.#needsOwn(call.session)
    if (call.request.params?.['task'] !== undefined)
      call.shape = (body) => rememberTask(call.session, body, this.#options.onStored)
    const http = isForOneCall ? this.#ofCall(call) : this.#of(call.session)
    void http.request(call)
  }

  async ask(method: string, params: JsonObject, signal: AbortSignal): Promise<JsonObject> {
    const id = `toolhaven-${++this.#asked}`
    return askInNameOf(this.#own, { id, method, params }, (call) => this.request(call), signal)
  }

  notify(session: Session, notification: RpcNotification): void {
    if (notification.method !== 'notifications/cancelled') void this.#of(session).notify(notification)
  }

  respond(session: Session, response: RpcResponse): void {
    void this.#of(session).respond(response)
    for (const [call, own] of this.#ofCalls) if (call.session === session) void this.#of(own).respond(response)
  }

  listen(session: Session): Promise<void> {
    return this.#of(session).listen()
  }

  endSession(session: Session): void {
    const http = this.#sessions.get(session) ?? this.#make(session)
    http.close(true)
    this.#sessions.delete(session)
  }

  restSession(session: Session): void {
    const hasOne = this.#sessions.has(session) || session.upstream !== undefined
    // A task is at the server, and its client may come back for it. A call may still be carried out.
    if (!hasOne || session.hasTasks || session.calls.size > 0) return
    // Where servers do not end sessions, each new one would be one more.
    if (!this.#target.mayEndSession) return
    this.endSession(session)
    this.#options.onStored()
  }

  async ping(signal: AbortSignal): Promise<void> {
    const answered = Promise.withResolvers<void>()
    let lost: string | undefined
    const call = new Call({
      session: this.#own,
      request: requestOf(++this.#pings, 'ping'),
      headers: () => ({}),
      reply: {
        related: () => true,
        answer: () => (lost === undefined ? answered.resolve() : answered.reject(unavailable(lost))),
        abandon: () => answered.reject(signal.reason),
      },
      onAnswer: (answer) => {
        // A "method not found" is a sign of life. Our own error for a lost connection is not.
        if (!('id' in answer)) lost = `The server ${this.#options.name} does not answer.`
        return answer
      },
      onSettled: () => {},
    })
    this.request(call)
    await abortable(answered.promise, signal).finally(() => call.abandon())
  }

  endSessions(): void {
    for (const session of this.#options.sessions()) if (session.upstream !== undefined) this.endSession(session)
  }

  stop(reason: string): void {
    this.#isReady = false
    for (const [session, http] of this.#sessions) {
      for (const call of [...session.calls.values()]) call.fail(reason)
      // Our own session is not found again: the next connection has another.
      http.close(session === this.#own)
    }
    this.#sessions.clear()
    this.farewell = this.#target.close()
  }

  /**
   * Stateless clients cannot be told apart. What one of them should hear outside the answer to its call can be told
   * from what others should hear only if the call has its own session.
   */
  #needsOwn(session: Session): boolean {
    const mayHear = canAnswerSome(session) || session.logLevel !== undefined
    return this.#speaksOutside && session.front === 'modern' && mayHear
  }

  #ofCall(call: Call): HttpSession {
    const { version, client, logLevel } = call.session
    const session = new Session('modern', version, client, this.#options.limits)
    session.logLevel = logLevel
    session.calls.set(idKey(call.request.id), call)
    this.#ofCalls.set(call, session)
    call.onDone = () => {
      this.#ofCalls.delete(call)
      this.endSession(session)
    }
    const http = this.#make(session, call)
    this.#sessions.set(session, http)
    return http
  }

  #of(session: Session): HttpSession {
    const known = this.#sessions.get(session)
    if (known !== undefined) return known
    const http = this.#make(session)
    // Late messages for a client that has left find a closed session: nobody would end a new one.
    if (session.isEnded) http.close(false)
    else this.#sessions.set(session, http)
    return http
  }

  #make(session: Session, call?: Call): HttpSession {
    const { backend, limits, onStored, onLost, onListChanged } = this.#options
    return new HttpSession({
      ...{ session, call },
      onUnplaced: () => {
        this.#speaksOutside = true
      },
      // A session of the older transport ends with its stream.
      processId: backend.transport === 'sse' ? undefined : backend.processId,
      waitMs: limits.backendWaitMs,
      createUpstream: (events, sessionId) => {
        const options = { ...events, target: this.#target, maxMessageBytes: limits.maxMessageBytes }
        return backend.transport === 'sse' ? new SseUpstream(options) : new StreamableUpstream(options, sessionId)
      },
      onStored,
      onListChanged: (part) => call === undefined && onListChanged?.(session, part),
      onNotReached: (reason) => this.#isReady && onLost(reason),
      // A client's own stream may end for many reasons. Ours ends with the server.
      onEnded: (reason) => this.#isReady && session === this.#own && onLost(reason),
    })
  }
}
