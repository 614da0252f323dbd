import { describeError } from '@toolhaven/core/errors'
import type { HttpRequest, HttpResponse } from '../http/server/exchange.ts'
import { Refused } from '../servers/http/upstream.ts'
import { accepts, prefersStream } from '../http/server/accepts.ts'
import { sendEmpty, sendJson, sendRefusal, type HttpRefusal } from '../http/server/reply.ts'
import { errorText, isObject, RPC_ERROR, type RpcRequest } from '../messages/json-rpc.ts'
import type { Parsed } from '../messages/parse.ts'
import { MODERN_VERSION } from '../messages/modern-era.ts'
import { BATCH_VERSION, isKnownVersion, PROTOCOL_VERSIONS, negotiateVersion } from '../messages/protocol-versions.ts'
import { isAnswerEvent } from '../sessions/answer-streams.ts'
import { dispatch } from '../sessions/dispatch.ts'
import { initializeSession } from '../sessions/initialize-session.ts'
import type { Session } from '../sessions/session.ts'
import { full, isOwn, readMessages, type FrontContext } from './front-context.ts'
import { isModern, postModern } from './stateless/modern-http.ts'
import { PostReply } from './post-reply.ts'

/** POST /mcp: messages of a client. */
export function postMcp(context: FrontContext, request: HttpRequest, response: HttpResponse): void {
  const { accept } = request.headers
  const acceptsStream = accept !== undefined && accepts(accept, 'text/event-stream')
  if (!acceptsStream && !accepts(accept, 'application/json'))
    return sendRefusal(response, { status: 406, message: 'Accept must allow application/json or text/event-stream.' })
  readMessages(context, request, response, (parsed) => handle(context, request, response, parsed, acceptsStream))
}

function handle(
  context: FrontContext,
  request: HttpRequest,
  response: HttpResponse,
  parsed: Parsed,
  acceptsStream: boolean,
): void | Promise<void> {
  const [first] = parsed.messages
  if (first !== undefined && isModern(request, first)) {
    if (!parsed.isBatch) return postModern(context, request, response, first)
    return sendRefusal(response, {
      status: 400,
      code: RPC_ERROR.invalidRequest,
      message: 'The body must contain exactly one message.',
    })
  }
  if (first?.kind === 'request' && first.method === 'initialize' && !parsed.isBatch)
    return initialize(context, request, response, first)

  const session = findSession(context, request)
  if ('status' in session) return sendRefusal(response, session)
  if (parsed.isBatch && session.version !== BATCH_VERSION) {
    return sendRefusal(response, {
      status: 400,
      code: RPC_ERROR.invalidRequest,
      message: `Batches exist only in revision ${BATCH_VERSION}.`,
    })
  }
  const expected = parsed.messages.filter((message) => message.kind === 'request').length
  const reply = new PostReply({
    context,
    session,
    response,
    expected: Math.max(expected, 1),
    isBatch: parsed.isBatch,
    acceptsStream,
    prefersStream: expected > 0 && prefersStream(request.headers.accept),
  })
  for (const message of parsed.messages) dispatch(context.dispatching, session, message, reply, { from: request })
  if (expected === 0) sendEmpty(response, 202)
}

/** GET /mcp: the client's own stream. */
export function getMcp(context: FrontContext, request: HttpRequest, response: HttpResponse): void {
  if (isOfNewEra(request)) return sendRefusal(response, POST_ONLY)
  if (request.headers.accept === undefined || !accepts(request.headers.accept, 'text/event-stream')) {
    return sendRefusal(response, { status: 406, message: 'Accept must allow text/event-stream.' })
  }
  const session = findSession(context, request)
  if ('status' in session) return sendRefusal(response, session)
  const lastEventId = request.headers['last-event-id']
  const openStream = () => {
    const stream = context.openStream(response, { 'mcp-session-id': session.id })
    response.once('close', () => {
      session.lastSeen = Date.now()
      session.isAway = session.outbox.stream === undefined
      session.outbox.letGo()
    })
    return stream
  }
  if (typeof lastEventId === 'string' && isAnswerEvent(lastEventId)) {
    if (!session.answers.resume(openStream, lastEventId)) sendRefusal(response, NO_REST)
    return
  }
  if (typeof lastEventId === 'string' && !session.outbox.canResume(lastEventId)) return sendRefusal(response, DROPPED)
  session.outbox.attach(openStream(), typeof lastEventId === 'string' ? lastEventId : undefined)
  void context.listening(session)
}

/** Not a 404: that would make the client give up its session. */
const NO_REST: HttpRefusal = {
  status: 400,
  code: RPC_ERROR.invalidRequest,
  message: 'The rest of this answer is no longer kept. The server may have carried out the call.',
}

const DROPPED: HttpRefusal = {
  status: 400,
  code: RPC_ERROR.invalidRequest,
  message:
    'Messages after this event are no longer kept, because too many were left unread or for too long. Open the stream without Last-Event-ID, and list again whatever may have changed.',
}

/** DELETE /mcp: the client leaves. */
export function deleteMcp(context: FrontContext, request: HttpRequest, response: HttpResponse): void {
  if (isOfNewEra(request)) return sendRefusal(response, POST_ONLY)
  const session = findSession(context, request)
  if ('status' in session) return sendRefusal(response, session)
  context.sessions.end(session)
  sendEmpty(response, 204)
}

function isOfNewEra({ headers }: HttpRequest): boolean {
  return headers['mcp-protocol-version'] === MODERN_VERSION && headers['mcp-session-id'] === undefined
}

const POST_ONLY: HttpRefusal = {
  status: 405,
  message: `Revision ${MODERN_VERSION} has neither sessions nor a stream of its own. Send a POST.`,
  headers: { allow: 'POST' },
}

async function initialize(
  context: FrontContext,
  request: HttpRequest,
  response: HttpResponse,
  message: RpcRequest,
): Promise<void> {
  const session = context.sessions.add(
    'streamable-http',
    negotiateVersion(message.params?.['protocolVersion']),
    message.params ?? {},
    context.pipeline.callerOf(request)?.id,
  )
  if (session === undefined) return sendRefusal(response, full(context))
  try {
    const body = await initializeSession(context.dispatching, session, message, request)
    // The client left before it learned the id of the session.
    if (response.destroyed) return context.sessions.end(session)
    // The session had to make room while its server took too long to answer.
    if (session.isEnded) return sendRefusal(response, full(context))
    const text = JSON.stringify({ ...body, id: message.id })
    if ('error' in body) {
      context.sessions.end(session)
      return sendAnswer(context, request, response, text, {})
    }
    if (isObject(body['result']) && isKnownVersion(body['result']['protocolVersion']))
      session.version = body['result']['protocolVersion']
    sendAnswer(context, request, response, text, { 'mcp-session-id': session.id })
  } catch (error) {
    context.sessions.end(session)
    sendAnswer(context, request, response, errorText(message.id, RPC_ERROR.server, reasonOf(error)), {})
  }
}

function sendAnswer(
  context: FrontContext,
  request: HttpRequest,
  response: HttpResponse,
  text: string,
  headers: Record<string, string>,
): void {
  if (!prefersStream(request.headers.accept)) return sendJson(response, 200, text, headers)
  const stream = context.openStream(response, headers)
  stream.send(text, { type: 'message' })
  stream.end()
}

/**
 * The login that the server wants is the gateway's business: a client must not be told to get a token that the gateway
 * would not pass on.
 */
function reasonOf(error: unknown): string {
  if (!(error instanceof Refused) || (error.status !== 401 && error.status !== 403)) return describeError(error)
  return 'The server behind this address asks for credentials of its own. Give them to the workload as headers.'
}

function findSession(context: FrontContext, request: HttpRequest): Session | HttpRefusal {
  const version = request.headers['mcp-protocol-version']
  if (version !== undefined && !isKnownVersion(version)) {
    return {
      status: 400,
      code: RPC_ERROR.invalidRequest,
      message: `Unsupported protocol version; supported: ${PROTOCOL_VERSIONS.join(', ')}.`,
    }
  }
  const id = request.headers['mcp-session-id']
  if (typeof id !== 'string' || id === '')
    return {
      status: 400,
      code: RPC_ERROR.invalidRequest,
      message: 'The Mcp-Session-Id header is missing. Send initialize first.',
    }
  const session = context.sessions.get(id)
  // For other callers the session does not exist: its id alone must be worth nothing.
  if (session?.front !== 'streamable-http' || !isOwn(context, request, session))
    return { status: 404, code: -32_001, message: 'Session not found. Send initialize again.' }
  session.lastSeen = Date.now()
  session.isAway = false
  return session
}
