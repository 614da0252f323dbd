import { sizeOf } from '../messages/parts.ts'
import { errorText, RPC_ERROR, type RpcMessage } from '../messages/json-rpc.ts'
import { META, metaOf } from '../messages/modern-era.ts'

/** What a client says about itself is kept as long as its session, and stored: far more than any has to say. */
const MAX_DESCRIPTION = 64 * 1024

/** The answer to a message whose client says too much about itself; undefined: it does not. */
export function tooMuchSaid(body: readonly Buffer[], messages: readonly RpcMessage[]): string | undefined {
  // Most bodies are too short for it.
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
