import type { IncomingMessage } from 'node:http'
import type { HttpRefusal } from '../http/reply.ts'
import type { JsonObject, RpcMessage, RpcRequest } from '../json-rpc.ts'

export type Parsed = { messages: RpcMessage[]; isBatch: boolean }

/** One concern between clients and the server. Each hook is optional; a refusal ends the way. */
export interface Middleware {
  readonly name: string
  /** Looks at the HTTP request before a byte of its body is read. */
  admit?(request: IncomingMessage): HttpRefusal | undefined
  /** Turns the body into messages; exactly one middleware does. */
  parse?(body: Buffer): Parsed | HttpRefusal
  /** Refuses a request of a client with a JSON-RPC error. */
  fromClient?(request: RpcRequest): { code: number; message: string } | undefined
  /** Changes the server's answer to a request with this method. */
  toClient?(method: string, answer: JsonObject): JsonObject
}
