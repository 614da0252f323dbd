import type { IncomingMessage } from 'node:http'
import type { HttpAnswer, HttpRefusal } from '../http/reply.ts'
import type { JsonObject, RpcMessage, RpcRequest } from '../json-rpc.ts'

export type Parsed = { messages: RpcMessage[]; isBatch: boolean }

/** Undefined lets the request go on. */
export type Admission = HttpRefusal | HttpAnswer | undefined

/** One concern between clients and the server. Each hook is optional; a refusal ends the way. */
export interface Middleware {
  readonly name: string
  /**
   * Looks at the HTTP request before a byte of its body is read. An answer or a refusal ends the way here. What is known
   * at once is said at once: a promise is for the rare case.
   */
  admit?(request: IncomingMessage): Admission | Promise<Admission>
  /** Turns the body into messages; exactly one middleware does. */
  parse?(body: Buffer): Parsed | HttpRefusal
  /** Refuses a request of a client with a JSON-RPC error. */
  fromClient?(request: RpcRequest): { code: number; message: string } | undefined
  /** Changes the server's answer to a request with this method. */
  toClient?(method: string, answer: JsonObject): JsonObject
}
