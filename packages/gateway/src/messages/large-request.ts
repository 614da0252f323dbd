import { isUtf8 } from 'node:buffer'
import {
  parseJson,
  parseMessage,
  toMessage,
  type JsonObject,
  type LargeLine,
  type RequestId,
  type RpcRequest,
} from './json-rpc.ts'
import { isWhole, outlineOf } from './outline.ts'
import { fewParts, joined, sizeOf } from './parts.ts'

/** Undefined when the whole message has to be parsed. */
export function largeRequest(parts: readonly Buffer[]): RpcRequest | undefined {
  const bytes = wholeCharacters(parts)
  const outline = bytes && outlineOf(bytes)
  if (bytes === undefined || outline === undefined) return undefined
  const message = toMessage(parseJson(outline)?.value, outline)
  return message?.kind === 'request' ? new LargeRequest(bytes, message) : undefined
}

/** Cuts the parts so that each is valid UTF-8. Undefined when even all of them together are not. */
function wholeCharacters(parts: readonly Buffer[]): LargeLine | undefined {
  const few = fewParts(parts, sizeOf(parts))
  if (few.every((part) => isUtf8(part))) return few
  const all = joined(few)
  return few.length > 1 && isUtf8(all) ? [all] : undefined
}

/** A request whose outline was parsed. The rest is parsed on demand, which is rare. */
class LargeRequest implements RpcRequest {
  readonly kind = 'request'
  readonly id: RequestId
  readonly method: string
  readonly params: JsonObject | undefined
  readonly bytes: LargeLine
  readonly outline: string
  #text: string | undefined
  #whole: RpcRequest | undefined

  constructor(bytes: LargeLine, { id, method, params, text }: RpcRequest) {
    this.bytes = bytes
    this.outline = text
    this.id = id
    this.method = method
    this.params = params
    for (const [key, value] of Object.entries(params ?? {})) {
      if (isWhole(value)) continue
      const get = () => this.#read().params?.[key]
      Object.defineProperty(params, key, { get, enumerable: true, configurable: true })
    }
  }

  get text(): string {
    return (this.#text ??= joined(this.bytes).toString())
  }

  get body(): JsonObject {
    return this.#read().body
  }

  #read(): RpcRequest {
    const read = this.#whole ?? parseMessage(this.text)
    if (read?.kind !== 'request') throw new Error('a request is not what its outline says')
    this.#whole = read
    return read
  }
}
