import { parseJson, parseMessage, toMessage, type JsonObject, type RequestId, type RpcRequest } from './json-rpc.ts'
import { isWhole, outlineOf } from './outline.ts'

/** Undefined when it has to be read to know what it is. */
export function largeRequest(bytes: Buffer): RpcRequest | undefined {
  const outline = outlineOf(bytes)
  if (outline === undefined) return undefined
  const message = toMessage(parseJson(outline)?.value, outline)
  return message?.kind === 'request' ? new LargeRequest(bytes, message) : undefined
}

/** A request of which the outline was read; the rest is when somebody asks for it, which mostly nobody does. */
class LargeRequest implements RpcRequest {
  readonly kind = 'request'
  readonly id: RequestId
  readonly method: string
  readonly params: JsonObject | undefined
  readonly bytes: Buffer
  readonly outline: string
  #text: string | undefined
  #whole: RpcRequest | undefined

  constructor(bytes: Buffer, { id, method, params, text }: RpcRequest) {
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
    return (this.#text ??= this.bytes.toString())
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
