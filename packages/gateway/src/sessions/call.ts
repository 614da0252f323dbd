import { describeError } from '@toolhaven/core/errors'
import {
  idKey,
  isObject,
  requestOf,
  RPC_ERROR,
  type JsonObject,
  type LargeLine,
  type RequestId,
  type RpcRequest,
} from '../messages/json-rpc.ts'
import type { Refusal } from '../policy/refusal.ts'
import { answerWithId, isPlainAnswer } from '../messages/with-id.ts'
import type { Cause, OpenCall, Session } from './session.ts'

/** Where a front end takes what belongs to one call. `text` is one line. */
export interface ReplySink {
  /** The client's id for the request, where the session has an id of ours for it. */
  readonly id?: RequestId | undefined
  /**
   * A message before the answer. Returns false when it cannot go here (the client accepts plain JSON only, or is gone).
   */
  related(text: string): boolean
  /** The server lets its client come back for the rest after this time. */
  pause?(retryMs: number | undefined): void
  /** A whole JSON-RPC response. `text` is the same on one line, unless it has to be serialized again. */
  answer(body: JsonObject, text?: string): void
  /** The same for an answer that was not parsed on its way. Absent: the front end needs text. */
  answerBytes?(parts: readonly Buffer[]): void
  /** The client cancelled: no answer will come. */
  abandon(): void
  /** Whether its client is connected, or will be again in a moment. Default: always. */
  readonly isAwaited?: boolean
}

/** A tool that reports an error has failed as well. An abandoned call has no answer that anybody waits for. */
export type CallOutcome = 'answered' | 'failed' | 'abandoned'

export interface CallOptions {
  session: Session
  request: RpcRequest
  reply: ReplySink
  /** Applies the pipeline to the server's answer. */
  onAnswer: (body: JsonObject) => JsonObject | Promise<JsonObject>
  /** Whether nothing reads the answer on its way. Default: false. */
  isUnread?: () => boolean
  /** Asked before the call is sent to a server that may have changed since it was admitted: why it must not be sent. */
  checkAgain?: () => Promise<Refusal | undefined>
  /** End-to-end headers of the client's request, for HTTP servers. */
  headers: () => Readonly<Record<string, string>>
  onSettled: (outcome: CallOutcome) => void
}

/** One request of a client, from its arrival to its single answer. */
export class Call implements OpenCall {
  readonly session: Session
  readonly request: RpcRequest
  readonly cause: Cause
  /** Time of its arrival, from `performance.now()`. */
  readonly since = performance.now()
  readonly #options: CallOptions
  isSettled = false
  /** The server's answer has arrived and is being checked. */
  #isJudged = false
  /**
   * Set by the backend that carries it: adapts the answer to the client's revision, after everything else has seen it.
   */
  shape: ((body: JsonObject) => JsonObject) | undefined
  /** Set by the backend that carries it: tells the server that the client no longer waits. */
  onCancel: ((params: JsonObject) => void) | undefined
  /** Set by the backend that carries it once its server asked something: the question no longer needs an answer. */
  onOver: (() => void) | undefined
  /** Set by the backend that gave it a process, or a session at the server, of its own: that is no longer needed. */
  onDone: (() => void) | undefined
  /** Sends it to the next server. For backends that ended before their server got it. */
  sendLater: (() => void) | undefined

  constructor(options: CallOptions) {
    this.#options = options
    this.session = options.session
    this.request = options.request
    this.cause = { session: options.session }
    this.session.calls.set(idKey(this.request.id), this)
  }

  get headers(): Readonly<Record<string, string>> {
    return this.#options.headers()
  }

  /**
   * For backends that had to start over with a server. Returns false when the call was refused, or nobody waits any
   * more.
   */
  async mayGoOn(): Promise<boolean> {
    const refusal = await this.#options.checkAgain?.()
    if (refusal !== undefined) this.answer({ jsonrpc: '2.0', error: refusal })
    return !this.isSettled
  }

  /** `body` is the server's response, `text` the same as it arrived. Its id is replaced by the client's. */
  answer(body: JsonObject, text?: string): void {
    // An error may come first, for example when the server is lost.
    if (this.isSettled || (this.#isJudged && !('error' in body))) return
    const shown = this.#show(body)
    if (!(shown instanceof Promise)) return this.#give(shown, body, text)
    this.#isJudged = true
    void shown.then((late) => this.#give(late, body, text))
  }

  #give(shown: JsonObject, body: JsonObject, text: string | undefined): void {
    if (!this.#settle(isFailure(shown) ? 'failed' : 'answered')) return
    const { reply } = this.#options
    const id = reply.id ?? this.request.id
    const isAsItCame = shown === body && text !== undefined && !hasMoreThanAnswer(body)
    const own = isAsItCame ? answerWithId(text, body['id'], id) : undefined
    if (own === undefined) return reply.answer({ ...answerAlone(shown), id })
    // Parsed from this text for this call: no other code has it.
    body['id'] = id
    reply.answer(body, own)
  }

  /** Whatever a server says, it can spoil only its own call. */
  #show(body: JsonObject): JsonObject | Promise<JsonObject> {
    const inShape = (seen: JsonObject) => this.shape?.(seen) ?? seen
    try {
      const seen = this.#options.onAnswer(body)
      return seen instanceof Promise ? seen.then(inShape).catch(unhandled) : inShape(seen)
    } catch (error) {
      return unhandled(error)
    }
  }

  /**
   * The answer as it arrived, with its id at `[from, to)` of the first part. Returns false when it has to be parsed
   * first.
   */
  answerBytes(line: LargeLine, from: number, to: number): boolean {
    const { reply, isUnread } = this.#options
    if (isUnread?.() !== true || this.shape !== undefined || reply.answerBytes === undefined) return false
    if (!isPlainAnswer(line)) return false
    const [first, ...rest] = line
    if (!this.#settle('answered')) return true
    const id = Buffer.from(JSON.stringify(reply.id ?? this.request.id))
    reply.answerBytes([first.subarray(0, from), id, first.subarray(to), ...rest])
    return true
  }

  fail(message: string, code: number = RPC_ERROR.server): void {
    this.answer({ jsonrpc: '2.0', error: { code, message } })
  }

  related(text: string): void {
    if (!this.#options.reply.related(text)) this.session.send(text)
  }

  pause(retryMs: number | undefined): void {
    this.#options.reply.pause?.(retryMs)
  }

  /** Whether its client is connected, or will be again in a moment. */
  get isAwaited(): boolean {
    return this.#options.reply.isAwaited ?? true
  }

  cancel(params: JsonObject): void {
    if (this.isSettled) return
    this.onCancel?.(params)
    this.abandon()
  }

  abandon(): void {
    if (this.#settle('abandoned')) this.#options.reply.abandon()
  }

  #settle(outcome: CallOutcome): boolean {
    if (this.isSettled) return false
    this.isSettled = true
    this.session.calls.delete(idKey(this.request.id))
    this.onOver?.()
    this.onDone?.()
    this.#options.onSettled(outcome)
    return true
  }
}

function isFailure({ error, result }: JsonObject): boolean {
  return error !== undefined || (isObject(result) && result['isError'] === true)
}

function unhandled(error: unknown): JsonObject {
  const message = `The answer of the server could not be handled: ${describeError(error)}`
  return { jsonrpc: '2.0', error: { code: RPC_ERROR.server, message } }
}

/** Some readers read `Result` as `result`, which nothing here has checked. */
const hasMoreThanAnswer = (body: JsonObject) => Object.keys(body).length > 3

function answerAlone(body: JsonObject): JsonObject {
  if (!hasMoreThanAnswer(body)) return body
  const outcome = 'error' in body ? { error: body['error'] } : { result: body['result'] }
  return { jsonrpc: '2.0', id: body['id'], ...outcome }
}

/** Sends a request of the gateway itself and resolves with the response, whatever it says. */
export function askInNameOf(
  session: Session,
  { id, method, params }: { id: RequestId; method: string; params: JsonObject },
  send: (call: Call) => void,
  signal?: AbortSignal,
): Promise<JsonObject> {
  return new Promise((resolve) => {
    const lost = () => {
      const message = signal?.aborted === true ? 'the server took too long to answer' : 'the session ended'
      return { jsonrpc: '2.0', id, error: { code: RPC_ERROR.server, message } }
    }
    const reply: ReplySink = { related: () => true, answer: resolve, abandon: () => resolve(lost()) }
    const call = new Call({
      session,
      request: requestOf(id, method, params),
      reply,
      headers: () => ({}),
      onAnswer: (answer) => answer,
      onSettled: () => signal?.removeEventListener('abort', onAbort),
    })
    const onAbort = () => call.cancel({ reason: 'it took too long' })
    signal?.addEventListener('abort', onAbort)
    send(call)
  })
}
