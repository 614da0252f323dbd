import {
  idKey,
  isRequestId,
  RPC_ERROR,
  type JsonObject,
  type RequestId,
  type RpcNotification,
  type RpcRequest,
} from '../../messages/json-rpc.ts'
import type { OpenCall, Session } from '../../sessions/session.ts'
import { firstId } from '../../messages/first-id.ts'
import { CALL_IS_OVER, isKeptId, MOST_QUESTIONS, TOO_MANY_QUESTIONS } from '../open-questions.ts'

type Send = (text: string, body: JsonObject) => Promise<void>

const NOBODY_TO_ASK =
  'this question came outside the answer to a call, and more than one client or none can have caused it'

/** One client session may use several sessions at a server, so their requests must not have the same ids. */
let nextId = firstId()

/** Keeps a server from asking one client without end. */
export class SessionQuestions {
  readonly #send: Send
  /** What the server asked and the client has not answered: the server's id, by the id that the client got. */
  readonly #asked = new Map<string, RequestId>()
  readonly #aboutCalls = new Map<string, OpenCall>()
  readonly #keysOf = new Map<OpenCall, Set<string>>()
  #refusals = 0

  constructor(send: Send) {
    this.#send = send
  }

  /**
   * The id for the client, or undefined when the question is refused. The question is open until it is answered, or the
   * call it belongs to is over.
   */
  open({ id, method }: RpcRequest, call: OpenCall | undefined, { front }: Session): RequestId | undefined {
    if (!isKeptId(id)) return undefined
    // Several stateless clients that describe themselves in the same way may share this session.
    if (call === undefined && front === 'modern') {
      this.#refuse(id, NOBODY_TO_ASK)
      return undefined
    }
    // Then each call has its own room: none uses up that of others.
    const open = call !== undefined && front === 'modern' ? this.#keysOf.get(call) : this.#asked
    if ((open?.size ?? 0) >= MOST_QUESTIONS) {
      this.#refuse(id, TOO_MANY_QUESTIONS)
      return undefined
    }
    const told = front === 'modern' ? nextId++ : id
    const key = idKey(told)
    this.#asked.set(key, id)
    // Roots are about the client itself, and worth an answer after the call as well.
    if (call === undefined || (method === 'roots/list' && front !== 'modern')) return told
    this.#aboutCalls.set(key, call)
    this.#keysOf.set(call, (this.#keysOf.get(call) ?? new Set()).add(key))
    call.onOver ??= () => this.#callOver(call)
    return told
  }

  /** The client answered it. Returns the server's id, if the question was open. */
  answered(told: RequestId): RequestId | undefined {
    return this.#close(idKey(told))
  }

  /** The server withdrew the question. */
  cancelled(id: unknown): void {
    for (const [key, asked] of this.#asked) if (isRequestId(id) && idKey(asked) === idKey(id)) this.#close(key)
  }

  /** The server is a new one, and asks again. */
  forget(): void {
    this.#asked.clear()
    this.#aboutCalls.clear()
    this.#keysOf.clear()
  }

  #callOver(over: OpenCall): void {
    for (const key of [...(this.#keysOf.get(over) ?? [])]) {
      const id = this.#close(key)
      if (id !== undefined) this.#refuse(id, CALL_IS_OVER)
    }
  }

  #close(key: string): RequestId | undefined {
    const id = this.#asked.get(key)
    const call = this.#aboutCalls.get(key)
    this.#asked.delete(key)
    this.#aboutCalls.delete(key)
    if (call !== undefined) this.#forget(call, key)
    return id
  }

  #forget(call: OpenCall, key: string): void {
    const keys = this.#keysOf.get(call)
    keys?.delete(key)
    if (keys?.size === 0) this.#keysOf.delete(call)
  }

  /** A server that asks faster than it reads refusals is not sent each of them. */
  #refuse(id: RequestId, message: string): void {
    if (this.#refusals >= MOST_QUESTIONS) return
    this.#refusals += 1
    const body = { jsonrpc: '2.0', id, error: { code: RPC_ERROR.server, message } }
    void this.#send(JSON.stringify(body), body).finally(() => {
      this.#refusals -= 1
    })
  }
}

/** Whether it may belong to one client's call and does not say which. */
export function isForOne({ kind, method }: RpcNotification | RpcRequest): boolean {
  return kind === 'request' ? method !== 'ping' : method === 'notifications/message'
}
