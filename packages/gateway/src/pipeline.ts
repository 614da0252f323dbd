import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { HttpRefusal } from './http/reply.ts'
import type { JsonObject, RpcRequest } from './json-rpc.ts'
import { guard } from './middleware/guard.ts'
import { limits } from './middleware/limits.ts'
import type { Middleware, Parsed } from './middleware/middleware.ts'
import { parse } from './middleware/parse.ts'
import { toolFilter } from './middleware/tool-filter.ts'

export interface PipelineContext {
  allowedHosts: () => readonly string[]
  allowPeer: (socket: Socket) => boolean
  maxMessageBytes: number
  allowedTools: () => ReadonlySet<string> | undefined
}

/** What every request meets on its way to the server, and every answer, backwards, on its way back. */
export interface Pipeline {
  readonly names: readonly string[]
  admit(request: IncomingMessage): HttpRefusal | undefined
  parse(body: Buffer): Parsed | HttpRefusal
  fromClient(request: RpcRequest): { code: number; message: string } | undefined
  toClient(method: string, answer: JsonObject): JsonObject
}

/** The only list and the only order. The backend follows the last line. */
function inOrder(context: PipelineContext): Middleware[] {
  return [
    guard(context), // first: a web page or another user must neither learn nor cost anything
    limits(context), // before the body: what is too large is not even read
    parse(), // once, here: all that follows decides on the very message that is forwarded
    toolFilter(context.allowedTools), // last: on names as the server knows them
  ]
}

export function createPipeline(context: PipelineContext): Pipeline {
  const list = inOrder(context)
  const backwards = list.toReversed()
  return {
    names: list.map((middleware) => middleware.name),
    admit: (request) => first(list, (middleware) => middleware.admit?.(request)),
    parse: (body) => first(list, (middleware) => middleware.parse?.(body)) ?? { messages: [], isBatch: false },
    fromClient: (request) => first(list, (middleware) => middleware.fromClient?.(request)),
    toClient: (method, answer) =>
      backwards.reduce((seen, middleware) => middleware.toClient?.(method, seen) ?? seen, answer),
  }
}

function first<T>(list: readonly Middleware[], ask: (middleware: Middleware) => T | undefined): T | undefined {
  for (const middleware of list) {
    const answer = ask(middleware)
    if (answer !== undefined) return answer
  }
  return undefined
}
