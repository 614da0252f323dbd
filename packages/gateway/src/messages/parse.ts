import type { HttpRefusal } from '../http/server/reply.ts'
import {
  isObject,
  LARGE_BYTES,
  MAX_BATCH,
  parseJson,
  RPC_ERROR,
  toMessage,
  WrittenRequest,
  type RpcMessage,
} from './json-rpc.ts'
import { largeRequest } from './large-request.ts'
import { joined, sizeOf } from './parts.ts'
import { twinOf } from './twin-of.ts'

/** Smaller bodies are parsed faster than outlined. */
const OUTLINED_BYTES = 32 * 1024

export type Parsed = { messages: RpcMessage[]; isBatch: boolean }

export interface ParseOptions {
  /**
   * Whether policy or audit depends on the content of messages. If so, every parser must read a message the same way.
   */
  isDecidedOn: () => boolean
}

/** From here on there are messages, parsed once. Nothing after this looks at the bytes again. */
export function createParser({ isDecidedOn }: ParseOptions): (parts: readonly Buffer[]) => Parsed | HttpRefusal {
  // A byte order mark is kept, so that JSON.parse refuses it.
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  return (parts) => {
    const large = sizeOf(parts) >= OUTLINED_BYTES && !isDecidedOn() ? largeRequest(parts) : undefined
    if (large !== undefined) return { messages: [large], isBatch: false }
    const body = joined(parts)
    const text = decode(decoder, body)
    const json = text === undefined ? undefined : parseJson(text)
    if (text === undefined || json === undefined)
      return { status: 400, code: RPC_ERROR.parse, message: 'Parse error: the body is not UTF-8 encoded JSON.' }
    if (!Array.isArray(json.value)) {
      const message = readMessage(json.value, text)
      if ('status' in message) return message
      if (isDecidedOn()) return { messages: [written(message)], isBatch: false }
      if (body.length >= LARGE_BYTES) message.bytes = [body]
      return { messages: [message], isBatch: false }
    }
    if (json.value.length > MAX_BATCH) return tooMany(json.value.length)
    const messages: RpcMessage[] = []
    for (const item of json.value) {
      const message = readMessage(item, JSON.stringify(item))
      if ('status' in message) return message
      messages.push(message)
    }
    return messages.length === 0 ? notRpc() : { messages, isBatch: true }
  }
}

function readMessage(value: unknown, text: string): RpcMessage | HttpRefusal {
  const message = toMessage(value, text)
  if (message !== undefined && message.kind !== 'response') return message
  const twin = isObject(value) ? twinOf(value) : undefined
  return twin === undefined ? (message ?? notRpc()) : ambiguous(twin)
}

/** Of two equal keys the last one was judged: only that one is passed on. */
function written(message: RpcMessage): RpcMessage {
  if (message.kind === 'request') return new WrittenRequest(message, message.body, message.params)
  return { ...message, text: JSON.stringify(message.body) }
}

function decode(decoder: TextDecoder, body: Buffer): string | undefined {
  try {
    return decoder.decode(body)
  } catch {
    // Not UTF-8. The caller reports it.
    return undefined
  }
}

function ambiguous(twin: string): HttpRefusal {
  const key = JSON.stringify(twin.slice(0, 100))
  return {
    status: 400,
    code: RPC_ERROR.invalidRequest,
    message: `Invalid request: the key ${key} could be taken for another, because some servers ignore case.`,
  }
}

function tooMany(messages: number): HttpRefusal {
  return {
    status: 400,
    code: RPC_ERROR.invalidRequest,
    message: `Invalid request: the batch has ${messages} messages. Send at most ${MAX_BATCH} at once.`,
  }
}

function notRpc(): HttpRefusal {
  return {
    status: 400,
    code: RPC_ERROR.invalidRequest,
    message: 'Invalid request: the body is not a JSON-RPC 2.0 message.',
  }
}
