import type { HttpRequest } from '../../http/server/exchange.ts'
import type { JsonObject, RpcRequest } from '../../messages/json-rpc.ts'
import type { Asker } from '../asker.ts'
import type { Refusal } from '../refusal.ts'

/** Says what a client may ask for, and what it is shown of the answer. */
export interface Decision {
  readonly name: string
  /** Refuses a request, or gives the one that goes on in its place. */
  fromClient?(request: RpcRequest, asker: Asker): Refusal | RpcRequest | undefined
  /** After all others let the request pass: what it has to wait for, and then perhaps a refusal. Never rejects. */
  waits?(request: RpcRequest, asker: Asker): Promise<Refusal | undefined> | undefined
  /** Which answers `toClient` is for; without it, all. */
  readsAnswersTo?(method: string): boolean
  /** Changes the server's answer to a request; the request is the one that reached the server. */
  toClient?(request: RpcRequest, answer: JsonObject, asker: Asker): JsonObject | Promise<JsonObject>
  /** Whether a message of the server may go to the sender of a request, on its stream. */
  mayHear?(text: string, request: HttpRequest): boolean
}
