import type { HttpRequest, HttpResponse } from '../../http/server/exchange.ts'
import { accepts } from '../../http/server/accepts.ts'
import { idKey, isObject, requestOf, RPC_ERROR, type JsonObject } from '../../messages/json-rpc.ts'
import { metaOf, MODERN_VERSION } from '../../messages/modern-era.ts'
import { PROTOCOL_VERSIONS } from '../../messages/protocol-versions.ts'
import { dispatch } from '../../sessions/dispatch.ts'
import type { Session } from '../../sessions/session.ts'
import { hasRoomFor, TOO_MANY_OF_A_CALLER } from '../../sessions/subscriptions.ts'
import type { FrontContext } from '../front-context.ts'
import type { Fault, WaitingRequest } from './check-request.ts'
import { FULL, refuse, sendFault, UNKNOWN_STATE } from './fault.ts'
import { checkMarked, withoutInvalid } from './marked-tools.ts'
import { ListenReply } from './listen-reply.ts'
import { ModernExchange } from './modern-exchange.ts'
import { markOf } from './parked-calls.ts'

/**
 * A request of a stateless client to a stateless server. Both understand it, including the state that goes back and
 * forth between them.
 */
export async function relay(
  context: FrontContext,
  request: HttpRequest,
  response: HttpResponse,
  checked: WaitingRequest,
): Promise<void> {
  const { id, method } = checked.request
  const owner = context.pipeline.callerOf(request)?.id
  // Without authentication there are no callers to keep apart.
  const states = owner === undefined ? undefined : callersStates(context, markOf(owner, checked.request))
  const params = states === undefined ? checked.request.params : states.toServer(checked.request.params)
  if (params === 'unknown')
    return refuse(context, request, response, checked.request, { fault: UNKNOWN_STATE, by: 'request-state' })
  const found = context.modern.clients.sessionOf(checked, owner)
  if (found === undefined) return sendFault(response, id, FULL)
  const { session, isNew } = found
  if (isNew) void context.listening(session)
  const fault = await checkMarked(context, request, session, checked.request)
  if (fault !== undefined) return sendFault(response, id, fault)
  if (response.destroyed) return
  if (method === 'subscriptions/listen' && !countSubscriptions(context, session, params, response))
    return refuse(context, request, response, checked.request, { fault: TOO_MANY_SUBSCRIPTIONS, by: 'subscriptions' })
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
            toModern: (body) => {
              const shown = withOurVersions(method, withoutInvalid(context, method, body))
              return states === undefined ? shown : states.toClient(shown)
            },
            // Stateless servers ask in their results.
            park: () => '',
            maxQuestionBytes: 0,
            onKept: () => {},
            respond: () => {},
            cancel,
          },
          id,
          response,
        )
  checked.room.release()
  dispatch(context.dispatching, session, requestOf(ownId, method, params), reply, {
    from: request,
    admittedBy: checked.admittedBy,
  })
}

const TOO_MANY_SUBSCRIPTIONS: Fault = {
  status: 400,
  code: RPC_ERROR.invalidParams,
  message: `Invalid params: ${TOO_MANY_OF_A_CALLER}.`,
}

/** Subscriptions count among those of the caller until the stream ends. Returns false when there are too many. */
function countSubscriptions(
  { sessions }: FrontContext,
  session: Session,
  params: JsonObject | undefined,
  response: HttpResponse,
): boolean {
  const filter = params?.['notifications']
  const uris = isObject(filter) ? filter['resourceSubscriptions'] : undefined
  const count = Array.isArray(uris) ? uris.length : 0
  if (count === 0) return true
  if (!hasRoomFor(count, session.owner, sessions.all())) return false
  session.expectedSubscriptions += count
  response.once('close', () => {
    session.expectedSubscriptions -= count
  })
  return true
}

/** Puts a caller's mark on the server's state, and removes it again. */
function callersStates({ modern: { states } }: FrontContext, mark: string) {
  return {
    toServer(params: JsonObject | undefined): JsonObject | 'unknown' | undefined {
      const text = params?.['requestState']
      if (typeof text !== 'string') return params
      const requestState = states.open(text, mark, Date.now())
      return requestState === undefined ? 'unknown' : { ...params, requestState }
    },
    toClient(body: JsonObject): JsonObject {
      const { result } = body
      if (!isObject(result) || typeof result['requestState'] !== 'string') return body
      return { ...body, result: { ...result, requestState: states.seal(result['requestState'], mark, Date.now()) } }
    },
  }
}

/** Through the gateway the server also serves clients with sessions. */
function withOurVersions(method: string, body: JsonObject): JsonObject {
  const { result } = body
  if (method !== 'server/discover' || !isObject(result) || !Array.isArray(result['supportedVersions'])) return body
  const versions = new Set([MODERN_VERSION, ...result['supportedVersions'], ...PROTOCOL_VERSIONS.toReversed()])
  return { ...body, result: { ...result, supportedVersions: [...versions] } }
}
