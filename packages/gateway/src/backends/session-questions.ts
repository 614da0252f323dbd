import { idKey, isRequestId, RPC_ERROR, type JsonObject, type RequestId, type RpcRequest } from '../json-rpc.ts'
import type { Call } from '../sessions/call.ts'
import type { Session } from '../sessions/session.ts'
import { CALL_IS_OVER, isKeptId, MOST_QUESTIONS, TOO_MANY_QUESTIONS } from './open-questions.ts'

type Send = (text: string, body: JsonObject) => Promise<void>

const NOBODY_TO_ASK =
  'this question came outside the answer to a call, and more than one client or none can have caused it'

/** Keeps a server from asking one client without end. */
export class SessionQuestions {
  readonly #send: Send
  /** What the server asked and the client has not answered. */
  readonly #asked = new Set<string>()
  readonly #aboutCalls = new Map<string, { id: RequestId; call: Call }>()
  #refusals = 0

  constructor(send: Send) {
    this.#send = send
  }

  /** Whether the client is to hear it; then it is open until it is answered, or the call it is about is over. */
  open({ id, method }: RpcRequest, call: Call | undefined, { front }: Session): boolean {
    if (!isKeptId(id)) return false
    // Several clients without sessions, which say the same about themselves, may share this one.
    if (call === undefined && front === 'modern') {
      this.#refuse(id, NOBODY_TO_ASK)
      return false
    }
    if (this.#asked.size >= MOST_QUESTIONS) {
      this.#refuse(id, TOO_MANY_QUESTIONS)
      return false
    }
    const key = idKey(id)
    this.#asked.add(key)
    // Roots are about the client itself, and worth an answer after the call as well.
    if (call === undefined || method === 'roots/list') return true
    this.#aboutCalls.set(key, { id, call })
    call.onOver ??= () => this.#callOver(call)
    return true
  }

  /** Answered, or no longer asked; whether it was open. */
  close(id: unknown): boolean {
    if (!isRequestId(id)) return false
    const key = idKey(id)
    this.#aboutCalls.delete(key)
    return this.#asked.delete(key)
  }

  /** The server is another one, and asks anew. */
  forget(): void {
    this.#asked.clear()
    this.#aboutCalls.clear()
  }

  #callOver(over: Call): void {
    for (const { id, call } of [...this.#aboutCalls.values()])
      if (call === over && this.close(id)) this.#refuse(id, CALL_IS_OVER)
  }

  /** A server that asks faster than it takes refusals is not told of each. */
  #refuse(id: RequestId, message: string): void {
    if (this.#refusals >= MOST_QUESTIONS) return
    this.#refusals += 1
    const body = { jsonrpc: '2.0', id, error: { code: RPC_ERROR.server, message } }
    void this.#send(JSON.stringify(body), body).finally(() => {
      this.#refusals -= 1
    })
  }
}
