import * as z from 'zod'

export const jsonObject = z.record(z.string(), z.unknown())
export type JsonObject = z.infer<typeof jsonObject>

const rpcError = z.object({ code: z.number(), message: z.string(), data: z.unknown().optional() })

/** A JSON-RPC message, whichever way it goes. */
export const rpcMessage = z.object({
  id: z.union([z.string(), z.number()]).nullish(),
  method: z.string().optional(),
  params: jsonObject.optional(),
  result: jsonObject.optional(),
  error: rpcError.optional(),
})
export type RpcMessage = z.infer<typeof rpcMessage>

/** What a client is asked to do. */
export interface McpRequest {
  method: string
  params: JsonObject
}

/** What a server asks of a person. */
export interface Question extends McpRequest {
  id: string | number
}

export type QuestionAnswer = { result: JsonObject } | { error: { code: number; message: string } }

/** The server, or a policy before it, answered with an error of the protocol. */
export class RpcFault extends Error {
  readonly code: number

  constructor({ code, message }: z.infer<typeof rpcError>) {
    super(message)
    this.name = 'RpcFault'
    this.code = code
  }
}

/** The message did not get through: an HTTP status, or a stream without an answer. */
export class TransportFault extends Error {
  readonly status: number | undefined

  constructor(message: string, status?: number) {
    super(message)
    this.name = 'TransportFault'
    this.status = status
  }
}
