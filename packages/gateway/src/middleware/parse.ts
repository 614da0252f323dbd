import type { HttpRefusal } from '../http/reply.ts'
import { parseJson, RPC_ERROR, toMessage, type RpcMessage } from '../json-rpc.ts'
import type { Middleware, Parsed } from './middleware.ts'

/** More messages in one body than any client has use for. */
const MAX_BATCH = 1000

/** From here on there are messages, parsed once; nothing later looks at the bytes again. */
export function parse(): Middleware {
  // A byte order mark is kept, so that JSON.parse refuses it.
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  return {
    name: 'parse',
    parse(body): Parsed | HttpRefusal {
      const text = decode(decoder, body)
      const json = text === undefined ? undefined : parseJson(text)
      if (text === undefined || json === undefined)
        return { status: 400, code: RPC_ERROR.parse, message: 'Parse error: the body is not JSON in UTF-8.' }
      if (!Array.isArray(json.value)) {
        const message = toMessage(json.value, text)
        return message === undefined ? notRpc() : { messages: [message], isBatch: false }
      }
      if (json.value.length === 0 || json.value.length > MAX_BATCH) return notRpc()
      const messages = json.value.map((item: unknown) => toMessage(item, JSON.stringify(item)))
      const valid = messages.filter((message): message is RpcMessage => message !== undefined)
      return valid.length === messages.length ? { messages: valid, isBatch: true } : notRpc()
    },
  }
}

function decode(decoder: TextDecoder, body: Buffer): string | undefined {
  try {
    return decoder.decode(body)
  } catch {
    // Not UTF-8; the caller says so.
    return undefined
  }
}

function notRpc(): HttpRefusal {
  return {
    status: 400,
    code: RPC_ERROR.invalidRequest,
    message: 'Invalid request: the body is not a JSON-RPC 2.0 message.',
  }
}
