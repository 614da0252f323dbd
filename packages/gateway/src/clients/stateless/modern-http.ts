import { setTimeout as pause } from 'node:timers/promises'
import { describeError } from '@toolhaven/core/errors'
import type { HttpRequest, HttpResponse } from '../../http/server/exchange.ts'
import { accepts } from '../../http/server/accepts.ts'
import { endToEndHeaders } from '../../http/server/end-to-end-headers.ts'
import { sendEmpty, sendJson } from '../../http/server/reply.ts'
import { idKey, isObject, requestOf, RPC_ERROR, type JsonObject, type RpcMessage } from '../../messages/json-rpc.ts'
import { META, metaOf, MODERN_VERSION } from '../../messages/modern-era.ts'
import { isKnownVersion, PROTOCOL_VERSIONS } from '../../messages/protocol-versions.ts'
import { isLogLevel, reachesLevel } from '../../sessions/log-levels.ts'
import type { Session } from '../../sessions/session.ts'
import { hasRoomFor, TOO_MANY_OF_A_CALLER } from '../../sessions/subscriptions.ts'
import { HeldRoom, weightOf } from '../../messages/weight.ts'
import { dispatch, TOO_MUCH_IN_FLIGHT, UNWELCOME } from '../../sessions/dispatch.ts'
import { type FrontContext } from '../front-context.ts'
import { checkRequest, type ModernRequest, type WaitingRequest } from './check-request.ts'
import { FULL, NEEDS_SESSION, notFound, refuse, sendFault, STATE_IS_NO_TEXT, UNKNOWN_STATE } from './fault.ts'
import { agreed, ListenSession, readFilter } from './listen-session.ts'
import { ModernExchange } from './modern-exchange.ts'
import { checkMarked, withoutInvalid } from './marked-tools.ts'
import { markOfClient } from './modern-clients.ts'
import { markOf } from './parked-calls.ts'
import { relay } from './relay.ts'
import { toLegacyParams, toModern } from './to-modern.ts'

/** Requests of the era with sessions that the stateless era no longer has. */
const GONE: ReadonlySet<string> = new Set([
  'initialize',
  'ping',
  'logging/setLevel',
  'resources/subscribe',
  'resources/unsubscribe',
  'tasks/list',
  'tasks/result',
])

/** A request names its era itself, and so does a header with a stateless revision. */
export function isModern(request: HttpRequest, message: RpcMessage): boolean {
  if (message.kind === 'response') return false
  const meta = metaOf(message.params)
  // Clients start with initialize before they know which era the server speaks. Only a request that names a stateless
  // revision is stateless.
  if (message.method === 'initialize') return META.version in meta && !isKnownVersion(meta[META.version])
  if (META.version in meta) return true
  const { 'mcp-protocol-version': version, 'mcp-session-id': session } = request.headers
  return version !== undefined && !isKnownVersion(version) && session === undefined
}

export async function postModern(
  context: FrontContext,
  request: HttpRequest,
  response: HttpResponse,
  message: RpcMessage,
): Promise<void> {
  const { pipeline: admittedBy } = context
  // Revision 2026-07-28 has no notifications of clients over HTTP: they are accepted and have no effect.
  if (message.kind !== 'request') return sendEmpty(response, 202)
  if (context.isolated !== undefined) return sendFault(response, message.id, NEEDS_SESSION)
  const checked = checkRequest(request.headers, message)
  if ('status' in checked) return sendFault(response, message.id, checked)
  const { method } = message
  if (GONE.has(method)) return sendFault(response, message.id, notFound(method))
  if ('requestState' in (message.params ?? {}) && typeof message.params?.['requestState'] !== 'string')
    return refuse(context, request, response, message, { fault: STATE_IS_NO_TEXT, by: 'request-state' })
  const own = Object.hasOwn(OWN, method) ? OWN[method] : undefined
  // It may wait for the server and for the list of tools, long before it counts as a call itself.
  const room = new HeldRoom(context.memory)
  if (!room.hold(weightOf(message, context.memory.mostOfOne)))
    return refuse(context, request, response, message, { fault: NO_ROOM })
  try {
    const waiting = { ...checked, room, admittedBy }
    if ((await context.server()).era === 'modern') return await relay(context, request, response, waiting)
    if (own === undefined) return await call(context, request, response, waiting)
    if (context.pipeline !== admittedBy && !(await context.pipeline.mayStay(request)))
      return refuse(context, request, response, message, { fault: CHANGED, by: 'authentication' })
    await answerSelf(context, request, response, checked, own)
  } catch (error) {
    sendFault(response, message.id, { status: 200, code: RPC_ERROR.server, message: describeError(error) })
  } finally {
    room.release()
  }
}

const CHANGED = { status: 200, ...UNWELCOME.refusal }

const NO_ROOM = { status: 200, ...TOO_MUCH_IN_FLIGHT }

type Answer = (
  context: FrontContext,
  request: HttpRequest,
  response: HttpResponse,
  checked: ModernRequest,
) => Promise<void>

/** The pipeline sees these like any other request. */
async function answerSelf(
  context: FrontContext,
  request: HttpRequest,
  response: HttpResponse,
  checked: ModernRequest,
  answer: Answer,
): Promise<void> {
  const { request: message } = checked
  const asker = { session: undefined, from: request, headers: () => endToEndHeaders(request.headers), id: message.id }
  const watched = context.pipeline.watch(message, asker)
  const passed = context.pipeline.fromClient(message, asker)
  const end = (outcome: JsonObject, by?: string) => watched?.onEnd({ jsonrpc: '2.0', id: message.id, ...outcome }, by)
  if ('refusal' in passed) {
    end({ error: passed.refusal }, passed.by)
    return sendFault(response, message.id, { status: 200, ...passed.refusal })
  }
  try {
    await answer(context, request, response, checked)
    end({ result: {} })
  } catch (error) {
    end({ error: { code: RPC_ERROR.server, message: describeError(error) } })
    throw error
  }
}

/** Answered by the gateway, because a server with sessions does not know them. */
const OWN: Readonly<Record<string, Answer>> = { 'server/discover': discover, 'subscriptions/listen': listen }

async function discover(
  context: FrontContext,
  request: HttpRequest,
  response: HttpResponse,
  { request: message }: ModernRequest,
): Promise<void> {
  const { id, method } = message
  const { capabilities, instructions, serverInfo } = (await context.server()).result
  const { tasks: _tasks, ...shown } = isObject(capabilities) ? capabilities : {}
  const result = {
    supportedVersions: [MODERN_VERSION, ...PROTOCOL_VERSIONS.toReversed()],
    capabilities: shown,
    ...(typeof instructions === 'string' && { instructions }),
  }
  const asker = { session: undefined, from: request, headers: () => ({}), id }
  const answer = await context.pipeline.toClient(message, { jsonrpc: '2.0', id, result }, asker)
  sendJson(response, 200, JSON.stringify(toModern(method, answer, serverInfo)))
}

async function listen(
  context: FrontContext,
  request: HttpRequest,
  response: HttpResponse,
  checked: ModernRequest,
): Promise<void> {
  const { id, params } = checked.request
  const filter = readFilter(params?.['notifications'])
  const refuseFilter = (why: string) =>
    sendFault(response, id, { status: 400, code: RPC_ERROR.invalidParams, message: `Invalid params: ${why}.` })
  if (typeof filter === 'string') return refuseFilter(filter)
  const { capabilities } = (await context.server()).result
  // The client has gone and would not notice the end of this response.
  if (response.destroyed) return
  const granted = agreed(filter, capabilities)
  const session = new ListenSession(context.limits, id, granted)
  session.owner = context.pipeline.callerOf(request)?.id
  session.mark = markOfClient(checked, session.owner)
  const { resourceSubscriptions: uris = [], ...rest } = granted
  if (uris.length > 0 && !hasRoomFor(uris.length, session.owner, context.sessions.all()))
    return refuseFilter(TOO_MANY_OF_A_CALLER)
  session.expectedSubscriptions = uris.length
  if (!context.sessions.adopt(session)) return sendFault(response, id, FULL)
  response.once('close', () => context.sessions.end(session))
  const heard: string[] = []
  for (const uri of uris) {
    if ('result' in (await context.ask(session, 'resources/subscribe', { uri }))) heard.push(uri)
    // The server need not hear the rest.
    if (session.isEnded) break
  }
  await unlessLate(context.listening(session), context.limits.ownRequestMs)
  if (response.destroyed) return
  const stream = context.openStream(response)
  session.start(stream, { ...rest, ...(heard.length > 0 && { resourceSubscriptions: heard }) })
}

/** If a server hangs, its messages arrive later, once it continues. */
async function unlessLate(work: Promise<void>, ms: number): Promise<void> {
  const timer = new AbortController()
  const late = pause(ms, undefined, { ref: false, signal: timer.signal })
  await Promise.race([work, late]).finally(() => timer.abort())
}

async function call(
  context: FrontContext,
  request: HttpRequest,
  response: HttpResponse,
  checked: WaitingRequest,
): Promise<void> {
  const { id, params } = checked.request
  const owner = context.pipeline.callerOf(request)?.id
  const mark = markOf(owner, checked.request)
  const state = params?.['requestState']
  if (typeof state === 'string') {
    const asker = { session: undefined, from: request, headers: () => ({}), id, isTrial: true } as const
    // What was allowed when the call began may no longer be allowed.
    const passed = context.pipeline.fromClient(checked.request, asker)
    const fault = 'refusal' in passed ? { status: 200, ...passed.refusal } : UNKNOWN_STATE
    const parked = 'refusal' in passed ? undefined : context.modern.parked.take(state, mark)
    const by = 'refusal' in passed ? passed.by : 'request-state'
    if (parked === undefined) return refuse(context, request, response, checked.request, { fault, by })
    const { inputResponses } = params ?? {}
    return parked.resume(id, response, isObject(inputResponses) ? inputResponses : {})
  }
  const found = context.modern.clients.sessionOf(checked, owner)
  if (found === undefined) return sendFault(response, id, FULL)
  const { session, isNew } = found
  if (isNew) void context.listening(session)
  const fault = await checkMarked(context, request, session, checked.request)
  if (fault !== undefined) return sendFault(response, id, fault)
  await raiseLevel(context, session, checked.logLevel)
  const { serverInfo } = (await context.server()).result
  if (!response.destroyed) dispatchCall(context, { request, response, checked, session, mark, serverInfo })
}

interface Dispatched {
  request: HttpRequest
  response: HttpResponse
  checked: WaitingRequest
  session: Session
  mark: string
  serverInfo: unknown
}

function dispatchCall(
  context: FrontContext,
  { request, response, checked, session, mark, serverInfo }: Dispatched,
): void {
  const { id, method, params } = checked.request
  const ownId = context.modern.nextId()
  const exchange: ModernExchange = new ModernExchange(
    {
      logLevel: checked.logLevel,
      progressToken: metaOf(params)['progressToken'],
      acceptsStream: accepts(request.headers.accept, 'text/event-stream'),
      openStream: (open) => context.openStream(open),
      toModern: (body) => toModern(method, withoutInvalid(context, method, body), serverInfo),
      park: () => context.modern.parked.park(exchange, mark, session.owner),
      maxQuestionBytes: context.limits.maxQueuedBytes,
      onKept: (keeper, change) => context.modern.kept.count(session.owner, keeper, change),
      respond: (answer) => dispatch(context.dispatching, session, answer, exchange, { from: request }),
      cancel: () => session.calls.get(idKey(ownId))?.cancel({ reason: 'the client went away' }),
    },
    id,
    response,
  )
  checked.room.release()
  const forServer = requestOf(ownId, method, toLegacyParams(params, ownId))
  dispatch(context.dispatching, session, forServer, exchange, { from: request, admittedBy: checked.admittedBy })
}

/** A server with sessions has one log level for all calls: it must be at least as verbose as this call wants. */
async function raiseLevel(context: FrontContext, session: Session, level: string | undefined): Promise<void> {
  if (!isLogLevel(level) || (session.logLevel !== undefined && reachesLevel(level, session.logLevel))) return
  const { capabilities } = (await context.server()).result
  if (isObject(capabilities) && isObject(capabilities['logging']))
    await context.ask(session, 'logging/setLevel', { level })
}
