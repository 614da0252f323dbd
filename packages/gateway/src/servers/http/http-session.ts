import { describeError, isThvError, unavailable } from '@toolhaven/core/errors'
import {
  idKey,
  isObject,
  onOneLine,
  requestOf,
  type JsonObject,
  type RpcMessage,
  type RpcNotification,
  type RpcRequest,
  type RpcResponse,
} from '../../messages/json-rpc.ts'
import type { Call } from '../../sessions/call.ts'
import type { OpenCall } from '../../sessions/session.ts'
import { callOfProgress } from '../../sessions/server-requests.ts'
import { tellMissed } from '../../sessions/tell-missed.ts'
import { AbsentServer } from './absent-server.ts'
import { Greetings } from './greetings.ts'
import { GrowingPause } from './growing-pause.ts'
import { MissedNotices } from './missed-notices.ts'
import { rememberRequest } from './remember.ts'
import { isForOne, SessionQuestions } from './session-questions.ts'
import { LIST_CHANGED } from '../server-messages.ts'
import type { HttpSessionOptions } from './http-session-options.ts'
import { isNotReached } from '@toolhaven/core/net/not-reached'
import { ensureGone, isFinal, lostText, SessionGone, type Upstream } from './upstream.ts'

type Headers = Readonly<Record<string, string>>
/** The client called before it sent initialize. */
const REPLACED = 'the session was initialized after this call. Try again'

/**
 * One client's own session at an HTTP server. When the server has forgotten it (it was restarted), it is created again
 * from the client's initialize, and the client notices nothing.
 */
export class HttpSession {
  readonly #options: HttpSessionOptions
  #upstream: Upstream | undefined
  #opening: Promise<Upstream> | undefined
  readonly #greetings = new Greetings()
  readonly #questions = new SessionQuestions((text, body) => this.#quietly(text, body))
  readonly #pause = new GrowingPause()
  readonly #missed: MissedNotices
  #isClosed = false

  constructor(options: HttpSessionOptions) {
    this.#options = options
    const { session, processId } = options
    this.#missed = new MissedNotices((greeting) => tellMissed(session, greeting))
    if (session.upstream === undefined || session.upstream.processId !== processId) return
    this.#upstream = this.#create(session.upstream.sessionId)
    this.#upstream.version = session.version
  }

  async initialize(request: RpcRequest, headers: Headers): Promise<JsonObject> {
    // One after the other: of two at once, one session at the server would belong to nobody.
    while (this.#opening !== undefined) await this.#opening.catch(() => undefined)
    if (this.#isClosed) throw hasEnded()
    const upstream = this.#create(undefined)
    const greeted = this.#greet(upstream, request, headers)
    // What the client sends in the meantime waits for this one.
    const opening = greeted.then((answer) => {
      if ('error' in answer) throw new Error('the server refused the session')
      return upstream
    })
    this.#setOpening(opening).catch(() => undefined)
    return greeted
  }

  async request(call: Call): Promise<void> {
    call.onCancel = (params) => void this.#cancel(call, params)
    const absent = new AbsentServer(this.#options.waitMs)
    let mayRenew = true
    while (!call.isSettled) {
      try {
        const upstream = this.#upstream ?? (await this.#openFor(call))
        if (upstream === undefined) return
        await this.#send(upstream, call)
        rememberRequest(this.#options.session, call.request)
        return
      } catch (error) {
        if (error instanceof SessionGone && mayRenew) mayRenew = false
        else if (this.#isClosed || !(await absent.mayTryAgain(error)))
          return call.fail(isThvError(error) ? describeError(error) : lostText(error))
      }
    }
  }

  async notify(notification: RpcNotification): Promise<void> {
    // The handshake itself sends this one, in order.
    if (notification.method === 'notifications/initialized') return
    await this.#quietly(notification.text, notification.body)
  }

  async respond(response: RpcResponse): Promise<void> {
    const id = this.#questions.answered(response.id)
    if (id === undefined) return
    if (id === response.id) return this.#quietly(response.text, response.body)
    const body = { ...response.body, id }
    await this.#quietly(JSON.stringify(body), body)
  }

  async listen(): Promise<void> {
    await this.#open({}).then(
      (upstream) => upstream.listen(),
      () => undefined,
    )
  }

  /** Closes the session at the server as well, unless it has to be found again. */
  close(upstreamToo: boolean): void {
    this.#isClosed = true
    this.#missed.close()
    const upstream = this.#upstream
    this.#upstream = undefined
    if (upstreamToo) {
      this.#options.session.upstream = undefined
      upstream?.close()
    }
    upstream?.leave()
  }

  /** What was decided about a call was decided about the former server. Undefined: the call is refused now. */
  async #openFor(call: Call): Promise<Upstream | undefined> {
    const upstream = await this.#open(call.headers)
    return (await call.mayGoOn()) ? upstream : undefined
  }

  async #send(upstream: Upstream, { request, headers }: Call): Promise<void> {
    try {
      await upstream.send(onOneLine(request), request, headers)
    } catch (error) {
      if (error instanceof SessionGone) {
        await ensureGone(upstream, request)
        this.#drop(upstream)
      }
      if (isNotReached(error)) this.#options.onNotReached(describeError(error))
      throw error
    }
  }

  /** The session at the server, created again if need be, once for all callers that wait. */
  #open(headers: Headers): Promise<Upstream> {
    if (this.#upstream !== undefined) return Promise.resolve(this.#upstream)
    if (this.#isClosed) return Promise.reject(hasEnded())
    return this.#opening ?? this.#setOpening(this.#renew(headers))
  }

  #setOpening(opening: Promise<Upstream>): Promise<Upstream> {
    this.#opening = opening.finally(() => {
      this.#opening = undefined
    })
    this.#opening.catch((error: unknown) => isFinal(error) || void this.#listenAgain())
    return this.#opening
  }

  async #renew(headers: Headers): Promise<Upstream> {
    const { session } = this.#options
    const upstream = this.#create(undefined)
    const { isServed } = session
    const id = `toolhaven-${session.id.slice(0, 8)}-${Date.now()}`
    const answer = await this.#greet(upstream, requestOf(id, 'initialize', session.client), headers)
    if ('error' in answer) throw new Error('the restarted server refused the session')
    // It was closed with its client while it was being created.
    if (this.#isClosed) throw hasEnded()
    this.#options.onListChanged()
    for (const uri of session.subscriptions) await this.#replay(upstream, 'resources/subscribe', { uri })
    if (session.logLevel !== undefined) await this.#replay(upstream, 'logging/setLevel', { level: session.logLevel })
    if (isServed && isObject(answer['result'])) this.#missed.add(answer['result'])
    const listening = session.isListening ? upstream.listen() : undefined
    if (this.#options.call !== undefined) await listening
    return upstream
  }

  async #greet(upstream: Upstream, request: RpcRequest, headers: Headers): Promise<JsonObject> {
    const answer = await this.#greetings.exchange(upstream, request, headers).catch((error: unknown) => {
      if (isNotReached(error)) this.#options.onNotReached(describeError(error))
      throw error
    })
    this.#adopt(upstream, answer)
    return answer
  }

  #adopt(upstream: Upstream, answer: JsonObject): void {
    if ('error' in answer || this.#isClosed) return upstream.close()
    const former = this.#upstream
    this.#upstream = upstream
    this.#options.session.isServed = true
    this.#pause.worked()
    if (former !== undefined) this.#giveUp(former, REPLACED)
    this.#questions.forget()
    const { session, processId, onStored } = this.#options
    session.upstream = processId === undefined ? undefined : { processId, sessionId: upstream.sessionId }
    onStored()
  }

  #create(sessionId: string | undefined): Upstream {
    const upstream = this.#options.createUpstream(
      {
        onMessage: (message, relatedTo) => this.#receive(upstream, message, relatedTo),
        isAwaited: (request) => this.#options.session.calls.has(idKey(request.id)),
        onPaused: (request, retryMs) => this.#options.session.calls.get(idKey(request.id))?.pause(retryMs),
        onEnded: (reason, canAnswer) => {
          this.#greetings.fail(upstream, reason)
          if (this.#upstream === upstream) this.#lose(upstream, reason, canAnswer)
        },
      },
      sessionId,
    )
    return upstream
  }

  #receive(upstream: Upstream, message: RpcMessage, relatedTo: RpcRequest | undefined): void {
    const { session } = this.#options
    if (message.kind === 'response') {
      if (!this.#greetings.answer(upstream, message))
        session.calls.get(idKey(message.id))?.answer(message.body, message.text)
      return
    }
    const call = relatedTo === undefined ? this.#callOf(message) : session.calls.get(idKey(relatedTo.id))
    const isUnplaced = call === undefined && session.front === 'modern' && isForOne(message)
    const isHeard = message.kind === 'request' || session.logLevel !== undefined
    if (isUnplaced && isHeard && relatedTo === undefined) this.#options.onUnplaced()
    if (message.kind === 'request') return this.#ask(message, call)
    if (LIST_CHANGED.has(message.method)) this.#options.onListChanged(LIST_CHANGED.get(message.method))
    if (message.method === 'notifications/cancelled') this.#questions.cancelled(message.params?.['requestId'])
    if (!isUnplaced) this.#tell(onOneLine(message), call)
  }

  #ask(message: RpcRequest, call: OpenCall | undefined): void {
    const id = this.#questions.open(message, call, this.#options.session)
    if (id === undefined) return
    this.#tell(id === message.id ? onOneLine(message) : JSON.stringify({ ...message.body, id }), call)
  }

  #tell(text: string, call: OpenCall | undefined): void {
    if (call === undefined) this.#options.session.send(text)
    else call.related(text)
  }

  /** Where everything comes on one stream, progress names its call: elsewhere it might arrive after the answer. */
  #callOf(message: RpcNotification | RpcRequest): OpenCall | undefined {
    const { session, call } = this.#options
    if (message.method === 'notifications/progress')
      return callOfProgress(session.calls.values(), message.params?.['progressToken'])
    return isForOne(message) ? call : undefined
  }

  #lose(upstream: Upstream, reason: string, canAnswer = false): void {
    this.#drop(upstream)
    if (!canAnswer) this.#giveUp(upstream, reason)
    this.#options.onEnded(reason)
    void this.#listenAgain()
  }

  /** A server that refuses sessions, or ends each at once, is not asked for the next one without a pause. */
  async #listenAgain(): Promise<void> {
    if (!this.#options.session.isListening || !(await this.#pause.wait())) return
    if (!this.#isClosed) await this.listen()
  }

  /** What the client asked in it will not be answered any more. */
  #giveUp(former: Upstream, reason: string): void {
    former.close()
    former.leave()
    for (const call of [...this.#options.session.calls.values()]) call.fail(reason)
  }

  #drop(upstream: Upstream): void {
    if (this.#upstream !== upstream) return
    this.#upstream = undefined
    this.#options.session.upstream = undefined
    upstream.close()
  }

  async #replay(upstream: Upstream, method: string, params: JsonObject): Promise<void> {
    const request = requestOf(`toolhaven-${method}`, method, params)
    // A resource may be gone after the restart. The session is useful all the same.
    await upstream.send(request.text, request, {}).catch(() => undefined)
  }

  #cancel(call: Call, params: JsonObject): Promise<void> {
    this.#upstream?.abandon?.(call.request)
    const body = {
      jsonrpc: '2.0',
      method: 'notifications/cancelled',
      params: { ...params, requestId: call.request.id },
    }
    return this.#quietly(JSON.stringify(body), body)
  }

  async #quietly(text: string, body: JsonObject): Promise<void> {
    // No client waits for an answer to it, and a server that is away need not be told.
    await this.#upstream?.send(onOneLine({ text, body }), undefined, {}).catch(() => undefined)
  }
}

function hasEnded(): Error {
  return unavailable('The session has ended.')
}
