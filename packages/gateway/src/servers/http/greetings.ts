import {
  idKey,
  isObject,
  onOneLine,
  type JsonObject,
  type RpcRequest,
  type RpcResponse,
} from '../../messages/json-rpc.ts'
import type { Upstream } from './upstream.ts'

interface Greeting {
  id: string
  resolve: (body: JsonObject) => void
  reject: (error: unknown) => void
}

/**
 * The initialize requests of one client that are not answered yet. Each belongs to one session at the server, and so
 * does its answer.
 */
export class Greetings {
  readonly #waiting = new Map<Upstream, Greeting>()

  /** The whole handshake: the response to `request`, and then what the server has to hear. */
  async exchange(
    upstream: Upstream,
    request: RpcRequest,
    headers: Readonly<Record<string, string>>,
  ): Promise<JsonObject> {
    const answered = new Promise<JsonObject>((resolve, reject) => {
      this.#waiting.set(upstream, { id: idKey(request.id), resolve, reject })
    })
    try {
      // The answer may come before `send` is done, or (in the older transport) after it.
      const [, body] = await Promise.all([upstream.send(onOneLine(request), request, headers), answered])
      upstream.version = isObject(body['result']) ? String(body['result']['protocolVersion']) : undefined
      if (!('error' in body))
        await upstream.send('{"jsonrpc":"2.0","method":"notifications/initialized"}', undefined, headers)
      return body
    } catch (error) {
      upstream.close()
      throw error
    } finally {
      this.#waiting.delete(upstream)
    }
  }

  /** False when it answers something else. */
  answer(upstream: Upstream, { id, body }: RpcResponse): boolean {
    const greeting = this.#waiting.get(upstream)
    if (greeting?.id !== idKey(id)) return false
    greeting.resolve(body)
    return true
  }

  fail(upstream: Upstream, reason: string): void {
    this.#waiting.get(upstream)?.reject(new Error(reason))
  }
}
