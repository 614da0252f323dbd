import { sizeOf } from '../messages/parts.ts'
import { errorText, RPC_ERROR, type RpcMessage } from '../messages/json-rpc.ts'
import { META, metaOf } from '../messages/modern-era.ts'

/** What a client says about itself is kept and stored for as long as its session. No client needs this much. */
const MAX_DESCRIPTION = 64 * 1024

/** The answer to a message whose client says too much about itself, or undefined when the size is fine. */
export function oversizedDescription(body: readonly Buffer[], messages: readonly RpcMessage[]): string | undefined {
  // Most bodies are too short to exceed the limit.
  if (sizeOf(body) <= MAX_DESCRIPTION) return undefined
  for (const message of messages) {
    if (message.kind !== 'request' || JSON.stringify(descriptionIn(message)).length <= MAX_DESCRIPTION) continue
    const what = message.method === 'initialize' ? 'the params' : 'the client info and capabilities'
    const why = `Invalid params: ${what} are over the limit of ${MAX_DESCRIPTION} bytes.`
    return errorText(message.id, RPC_ERROR.invalidParams, why)
  }
  return undefined
}

function descriptionIn({ method, params = {} }: Extract<RpcMessage, { kind: 'request' }>): unknown {
  if (method === 'initialize') return params
  const meta = metaOf(params)
  return [meta[META.clientInfo], meta[META.clientCapabilities]]
}
