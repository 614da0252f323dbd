import { isAlike } from './alike.ts'
import type { HttpRefusal } from '../http/server/reply.ts'
import { isObject, LARGE_BYTES, parseJson, RPC_ERROR, toMessage, WrittenRequest, type RpcMessage } from './json-rpc.ts'
import { largeRequest } from './large-request.ts'
import { joined, sizeOf } from './parts.ts'
import type { Middleware, Parsed } from '../policy/middleware.ts'

/** More messages in one body than any client has use for. */
const MAX_BATCH = 1000
/** Smaller bodies are read faster than outlined. */
const OUTLINED_BYTES = 32 * 1024

export interface ParseOptions {
  /** Somebody decides on what messages say: it must be all that a server can read in them. */
  isDecidedOn?: () => boolean
}

/** From here on there are messages, parsed once; nothing later looks at the bytes again. */
export function parse({ isDecidedOn = () => false }: ParseOptions = {}): Middleware {
  // A byte order mark is kept, so that JSON.parse refuses it.
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  return {
    name: 'parse',
    parse(parts): Parsed | HttpRefusal {
      const large = sizeOf(parts) >= OUTLINED_BYTES && !isDecidedOn() ? largeRequest(parts) : undefined
      if (large !== undefined) return { messages: [large], isBatch: false }
      const body = joined(parts)
      const text = decode(decoder, body)
      const json = text === undefined ? undefined : parseJson(text)
      if (text === undefined || json === undefined)
        return { status: 400, code: RPC_ERROR.parse, message: 'Parse error: the body is not JSON in UTF-8.' }
      if (!Array.isArray(json.value)) {
        const message = toMessage(json.value, text)
        if (message === undefined) return notRpc()
        if (!isDecidedOn()) {
          if (body.length >= LARGE_BYTES) message.bytes = [body]
          return { messages: [message], isBatch: false }
        }
        return ambiguity(message) ?? { messages: [written(message)], isBatch: false }
      }
      if (json.value.length === 0 || json.value.length > MAX_BATCH) return notRpc()
      const messages = json.value.map((item: unknown) => toMessage(item, JSON.stringify(item)))
      const valid = messages.filter((message): message is RpcMessage => message !== undefined)
      if (valid.length !== messages.length) return notRpc()
      const ambiguous = isDecidedOn() ? valid.map(ambiguity).find((refusal) => refusal !== undefined) : undefined
      return ambiguous ?? { messages: valid, isBatch: true }
    },
  }
}

const ENVELOPE = ['jsonrpc', 'id', 'method', 'params', 'result', 'error']
const PARAMETERS = ['name', 'arguments', 'uri', 'ref', 'notifications', '_meta', 'requestState', 'taskId']
const REFERENCE = ['type', 'name', 'uri']
const SUBSCRIPTIONS = ['resourceSubscriptions']

/**
 * Some servers read keys without regard to case, so that `Name` could be taken for the `name` that was judged. Of two equal
 * keys the last was judged; only that one goes on, for the text is written anew.
 */
function ambiguity(message: RpcMessage): HttpRefusal | undefined {
  const params = 'params' in message ? (message.params ?? {}) : {}
  const { ref, notifications } = params
  const twin =
    alike(message.body, ENVELOPE) ??
    alike(params, PARAMETERS) ??
    alike(ref, REFERENCE) ??
    alike(notifications, SUBSCRIPTIONS)
  if (twin === undefined) return undefined
  return {
    status: 400,
    code: RPC_ERROR.invalidRequest,
    message: `Invalid request: the key ${JSON.stringify(twin)} could be taken for another.`,
  }
}

function written(message: RpcMessage): RpcMessage {
  if (message.kind === 'request') return new WrittenRequest(message, message.body, message.params)
  return { ...message, text: JSON.stringify(message.body) }
}

function alike(object: unknown, known: readonly string[]): string | undefined {
  if (!isObject(object)) return undefined
  return Object.keys(object).find((key) => !known.includes(key) && known.some((name) => isAlike(name, key)))
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
