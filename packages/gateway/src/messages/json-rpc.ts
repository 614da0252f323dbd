import { LONG_DIGITS, parseExactly } from './exact-numbers.ts'
import { twinOf } from './twin-of.ts'

export type JsonObject = { [key: string]: unknown }
export type RequestId = string | number

/**
 * `text` is the message as it arrived, on one line or not; `body` is the same, parsed. Large messages have `bytes` as
 * well, and `outline`, which is the message without its long strings, where those are most of it.
 */
interface Received {
  readonly body: JsonObject
  readonly text: string
  bytes?: LargeLine | undefined
  readonly outline?: string | undefined
}

/** From this size on it pays to pass on bytes rather than to write a new text. */
export const LARGE_BYTES = 4096
/** A large message as its bytes arrived: joining them would be a needless copy. */
export type LargeLine = readonly [first: Buffer, ...rest: Buffer[]]

export interface RpcRequest extends Received {
  kind: 'request'
  id: RequestId
  method: string
  params: JsonObject | undefined
}
export interface RpcNotification extends Received {
  kind: 'notification'
  method: string
  params: JsonObject | undefined
}
export interface RpcResponse extends Received {
  kind: 'response'
  id: RequestId
}
export type RpcMessage = RpcRequest | RpcNotification | RpcResponse

/** Written from its parsed form, and only when its text is needed: on pipes it gets another id anyway. */
export class WrittenRequest implements RpcRequest {
  readonly kind = 'request'
  readonly id: RequestId
  readonly method: string
  readonly params: JsonObject | undefined
  readonly body: JsonObject
  #text: string | undefined

  constructor({ id, method }: Pick<RpcRequest, 'id' | 'method'>, body: JsonObject, params: JsonObject | undefined) {
    this.id = id
    this.method = method
    this.params = params
    this.body = body
  }

  get text(): string {
    return (this.#text ??= JSON.stringify(this.body))
  }
}

export const RPC_ERROR = {
  parse: -32_700,
  invalidRequest: -32_600,
  methodNotFound: -32_601,
  invalidParams: -32_602,
  /** The server is away, was lost during a call, or is too busy. */
  server: -32_000,
  /** No policy of the workload allows it. */
  denied: -32_003,
} as const

/** More messages at once than any client needs. */
export const MAX_BATCH = 1000

/** Deeper than any tool's schema, and far from what exhausts the stack or the memory. */
export const MAX_DEPTH = 400

/** Finds places that may contain a number with more digits than a double holds. */
const LONG_NUMBER = /[:,[\s]-?\d{16}/

/** Undefined when the text is not JSON, or is nested too deeply. */
export function parseJson(text: string): { value: unknown } | undefined {
  const { isTooDeep, long } = text.length < MAX_DEPTH ? shortLook(text) : look(text)
  if (isTooDeep) return undefined
  try {
    return { value: long === undefined ? JSON.parse(text) : parseExactly(text, long) }
  } catch {
    // The caller reports it. The parser's message would quote the text.
    return undefined
  }
}

/**
 * Undefined when the value is not a JSON-RPC 2.0 message as MCP allows it. Readers of an answer ignore members that do
 * not belong in it. Any other message is refused when it could be read in two ways.
 */
export function toMessage(value: unknown, text: string): RpcMessage | undefined {
  if (!isObject(value) || value['jsonrpc'] !== '2.0') return undefined
  const { id, method, params } = value
  if (method === undefined) {
    const isAnswer = isRequestId(id) && 'result' in value !== 'error' in value
    return isAnswer ? { kind: 'response', id, body: value, text } : undefined
  }
  if (typeof method !== 'string' || (params !== undefined && !isObject(params))) return undefined
  if (twinOf(value) !== undefined) return undefined
  if (!('id' in value)) return { kind: 'notification', method, params, body: value, text }
  return isRequestId(id) ? { kind: 'request', id, method, params, body: value, text } : undefined
}

export function parseMessage(text: string): RpcMessage | undefined {
  const json = parseJson(text)
  return json === undefined ? undefined : toMessage(json.value, text)
}

/** A request that the gateway itself makes. */
export function requestOf(id: RequestId, method: string, params?: JsonObject): RpcRequest {
  const body = { jsonrpc: '2.0', id, method, ...(params !== undefined && { params }) }
  return { kind: 'request', id, method, params, body, text: JSON.stringify(body) }
}

export function errorText(id: RequestId | null, code: number, message: string): string {
  return JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } })
}

/** The message as event streams and pipes need it: on one line. */
export function onOneLine(message: Pick<Received, 'text' | 'body'>): string {
  const { text } = message
  return text.includes('\n') || text.includes('\r') ? JSON.stringify(message.body) : text
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function isRequestId(value: unknown): value is RequestId {
  return typeof value === 'string' || (typeof value === 'number' && Number.isFinite(value))
}

/** 1 and "1" are different ids. */
export function idKey(id: RequestId): string {
  return typeof id === 'number' ? `n${id}` : `s${id}`
}

interface Look {
  isTooDeep: boolean
  /** Where numbers with more digits than a double holds may be. Undefined: there are none. */
  long: readonly number[] | undefined
}

const shortLook = (text: string): Look => ({ isTooDeep: false, long: LONG_NUMBER.test(text) ? [] : undefined })

/** Skips strings, which make up most of a large message. */
function look(text: string): Look {
  let depth = 0
  let digits = 0
  let long: number[] | undefined
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code >= 0x30 && code <= 0x39) {
      if (++digits === LONG_DIGITS) (long ??= []).push(i)
      continue
    }
    digits = 0
    if (code === 0x22) {
      i = endOfString(text, i)
    } else if (code === 0x7b || code === 0x5b) {
      if (++depth > MAX_DEPTH) return { isTooDeep: true, long }
    } else if (code === 0x7d || code === 0x5d) {
      depth--
    }
  }
  return { isTooDeep: false, long }
}

function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let backslashes = 0
    while (text.charCodeAt(end - 1 - backslashes) === 0x5c) backslashes++
    if (backslashes % 2 === 0) return end
  }
  return text.length
}
