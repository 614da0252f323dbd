import { randomUUID } from 'node:crypto'
import { isObject, RPC_ERROR, type JsonObject, type RpcResponse } from '../../messages/json-rpc.ts'
import { canAnswer } from '../../sessions/server-requests.ts'
import type { Call } from '../../sessions/call.ts'
import type { Session } from '../../sessions/session.ts'
import { firstId } from '../../messages/first-id.ts'

interface Asked {
  call: Call
  resolve: (response: JsonObject) => void
}

/** Questions in a result of a stateless server, sent to clients with sessions as requests. */
export class Questions {
  readonly #asked = new Map<number, Asked>()
  #nextId = firstId()

  /** The answers by the server's keys, or the error that one of them is. */
  async ask(call: Call, inputRequests: JsonObject): Promise<{ answers: JsonObject } | { error: JsonObject }> {
    const responses = await Promise.all(
      Object.entries(inputRequests).map(async ([key, request]) => [key, await this.#askOne(call, request)] as const),
    )
    const answers: JsonObject = {}
    for (const [key, { result, error }] of responses) {
      if (isObject(error)) return { error }
      answers[key] = result
    }
    return { answers }
  }

  /** Only the client that was asked can answer, and only once. */
  respond(session: Session, response: RpcResponse): void {
    if (typeof response.id !== 'number') return
    const asked = this.#asked.get(response.id)
    if (asked?.call.session !== session) return
    this.#asked.delete(response.id)
    asked.resolve(response.body)
  }

  /** Nobody waits for them any more. */
  drop(isFor: (call: Call) => boolean, reason: string): void {
    for (const [id, { call, resolve }] of this.#asked) {
      if (!isFor(call)) continue
      this.#asked.delete(id)
      resolve(failed(RPC_ERROR.server, reason))
    }
  }

  #askOne(call: Call, request: unknown): Promise<JsonObject> {
    if (!isObject(request) || typeof request['method'] !== 'string')
      return Promise.resolve(failed(RPC_ERROR.server, 'The server asked for something that is not a request.'))
    const { method } = request
    const params = isObject(request['params']) ? request['params'] : undefined
    if (!canAnswer(call.session, { method, params }))
      return Promise.resolve(
        failed(RPC_ERROR.methodNotFound, `This client cannot answer ${method}, which the server needs.`),
      )
    const id = this.#nextId++
    return new Promise((resolve) => {
      this.#asked.set(id, { call, resolve })
      call.related(JSON.stringify({ jsonrpc: '2.0', id, method, ...(params && { params: toLegacyParams(params) }) }))
    })
  }
}

/** The older revision gives each address that should be opened its own id. */
function toLegacyParams(params: JsonObject): JsonObject {
  return params['mode'] === 'url' ? { elicitationId: randomUUID(), ...params } : params
}

function failed(code: number, message: string): JsonObject {
  return { jsonrpc: '2.0', error: { code, message } }
}
