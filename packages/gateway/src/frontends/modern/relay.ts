import type { IncomingMessage, ServerResponse } from 'node:http'
import { accepts } from '../../http/accepts.ts'
import { idKey, isObject, type JsonObject, type RpcRequest } from '../../json-rpc.ts'
import { metaOf, MODERN_VERSION } from '../../modern-era.ts'
import { PROTOCOL_VERSIONS } from '../../protocol-versions.ts'
import type { FrontContext } from '../front-context.ts'
import type { ModernRequest } from './check-request.ts'
import { FULL, sendFault } from './fault.ts'
import { checkMarked, withoutInvalid } from './marked-tools.ts'
import { ListenReply } from './listen-reply.ts'
import { ModernExchange } from './modern-exchange.ts'

/**
 * A request of a client without a session to a server without sessions: both know what to make of it, state that goes
 * back and forth between them included.
 */
export async function relay(
  context: FrontContext,
  request: IncomingMessage,
  response: ServerResponse,
  checked: ModernRequest,
): Promise<void> {
  const { id, method, params } = checked.request
  const found = context.modern.clients.sessionOf(checked, context.pipeline.callerOf(request)?.id)
  if (found === undefined) return sendFault(response, id, FULL)
  const { session, isNew } = found
  if (isNew) context.listening(session)
  const fault = await checkMarked(context, request, session, checked.request)
  if (fault !== undefined) return sendFault(response, id, fault)
  if (response.destroyed) return
  const ownId = context.modern.nextId()
  const cancel = () => session.calls.get(idKey(ownId))?.cancel({ reason: 'the client went away' })
  const reply =
    method === 'subscriptions/listen'
      ? new ListenReply({ context, id, response, cancel })
      : new ModernExchange(
          {
            logLevel: checked.logLevel,
            progressToken: metaOf(params)['progressToken'],
            acceptsStream: accepts(request.headers.accept, 'text/event-stream'),
            openStream: (open) => context.openStream(open),
            toModern: (body) => withOurVersions(method, withoutInvalid(context, method, body)),
            // Servers of this era ask in their results.
            park: () => '',
            respond: () => {},
            cancel,
          },
          id,
          response,
        )
  const body = { ...checked.request.body, id: ownId }
  const message: RpcRequest = { kind: 'request', id: ownId, method, params, body, text: JSON.stringify(body) }
  context.dispatch(session, message, reply, request)
}

/** Through us the server also serves clients with sessions. */
function withOurVersions(method: string, body: JsonObject): JsonObject {
  const { result } = body
  if (method !== 'server/discover' || !isObject(result) || !Array.isArray(result['supportedVersions'])) return body
  const versions = new Set([MODERN_VERSION, ...result['supportedVersions'], ...PROTOCOL_VERSIONS.toReversed()])
  return { ...body, result: { ...result, supportedVersions: [...versions] } }
}
