import type { HttpRequest } from '../../http/server/exchange.ts'
import type { JsonObject, RpcRequest } from '../../messages/json-rpc.ts'
import type { Asker } from '../asker.ts'
import type { Refusal } from '../refusal.ts'

/** Decides what a client may ask for, and what it is shown of the answer. */
export interface Decision {
  readonly name: string
  /** Refuses a request, or returns the one that replaces it. */
  fromClient?(request: RpcRequest, asker: Asker): Refusal | RpcRequest | undefined
  /** Runs after all others let the request pass: waits for something, and then perhaps refuses. Never rejects. */
  waits?(request: RpcRequest, asker: Asker): Promise<Refusal | undefined> | undefined
  /** The methods whose answers `toClient` changes. Without it, all. */
  readsAnswersTo?(method: string): boolean
  /** Changes the server's answer to a request. `request` is the one that reached the server. */
  toClient?(request: RpcRequest, answer: JsonObject, asker: Asker): JsonObject | Promise<JsonObject>
  /** Whether a message of the server may go to the sender of a request, on its stream. */
  mayHear?(text: string, request: HttpRequest): boolean
}
