import type { HttpRequest, HttpResponse } from '../http/server/exchange.ts'
import { sendRefusal, sendText, type HttpRefusal } from '../http/server/reply.ts'
import { errorText, RPC_ERROR, type JsonObject, type RpcRequest } from '../messages/json-rpc.ts'
import { describeError } from '@toolhaven/core/errors'
import { negotiateVersion } from '../messages/protocol-versions.ts'
import type { ReplySink } from '../sessions/call.ts'
import { dispatch } from '../sessions/dispatch.ts'
import { initializeSession } from '../sessions/initialize-session.ts'
import type { Session } from '../sessions/session.ts'
import { full, isOwn, readMessages, type FrontContext } from './front-context.ts'

/** Used until the client introduces itself. Clients that reconnect after a daemon restart never do. */
const UNKNOWN_CLIENT = {
  protocolVersion: '2024-11-05',
  capabilities: {},
  clientInfo: { name: 'unknown', version: '0' },
}

/** GET /sse: the stream of revision 2024-11-05, which is the session. */
export function getSse(context: FrontContext, request: HttpRequest, response: HttpResponse): void {
  const owner = context.pipeline.callerOf(request)?.id
  const session = context.sessions.add('sse', '2024-11-05', UNKNOWN_CLIENT, owner)
  if (session === undefined) return sendRefusal(response, full(context))
  const stream = context.openStream(response)
  stream.send(`/messages?sessionId=${session.id}`, { type: 'endpoint' })
  session.outbox.attach(stream, undefined)
  response.once('close', () => context.sessions.end(session))
}

/** POST /messages?sessionId=…: a message of a client with such a stream. Answers go to the stream. */
export function postMessages(context: FrontContext, request: HttpRequest, response: HttpResponse, query: string): void {
  const id = sessionIdIn(query)
  if (id === null || id === '')
    return sendRefusal(response, {
      status: 400,
      code: RPC_ERROR.invalidRequest,
      message: 'The sessionId parameter is missing. Open /sse first.',
    })
  const session = context.sessions.get(id)
  if (session?.front !== 'sse' || !isOwn(context, request, session)) return sendRefusal(response, NOT_FOUND)
  session.lastSeen = Date.now()
  readMessages(context, request, response, ({ messages, isBatch }) => {
    // The stream may have closed while the body was arriving.
    if (session.isEnded) return sendRefusal(response, NOT_FOUND)
    if (isBatch) return sendRefusal(response, NO_BATCHES)
    const [message] = messages
    sendText(response, 202, 'text/plain', 'Accepted')
    const isFirst = !session.isOpening && !session.isInitialized
    if (message?.kind === 'request' && message.method === 'initialize' && isFirst)
      return initialize(context, session, message, request)
    if (message !== undefined)
      dispatch(context.dispatching, session, message, new StreamReply(session), { from: request })
  })
}

const NOT_FOUND: HttpRefusal = { status: 404, code: -32_001, message: 'Session not found. Open /sse again.' }

const NO_BATCHES: HttpRefusal = {
  status: 400,
  code: RPC_ERROR.invalidRequest,
  message: 'Batches are not part of this transport.',
}

/** Accepts the parameter as we told the client to write it, and as the specification names it. */
function sessionIdIn(query: string): string | null {
  const isOurs = query.startsWith(SESSION_ID) && !/[&%+]/.test(query)
  return isOurs ? query.slice(SESSION_ID.length) : new URLSearchParams(query).get('sessionId')
}

const SESSION_ID = 'sessionId='

async function initialize(
  context: FrontContext,
  session: Session,
  message: RpcRequest,
  from: HttpRequest,
): Promise<void> {
  session.client = message.params ?? {}
  session.version = negotiateVersion(message.params?.['protocolVersion'])
  try {
    const body = await initializeSession(context.dispatching, session, message, from)
    session.isInitialized = !('error' in body)
    session.send(JSON.stringify({ ...body, id: message.id }))
    void context.listening(session)
  } catch (error) {
    session.send(errorText(message.id, RPC_ERROR.server, describeError(error)))
  }
}

class StreamReply implements ReplySink {
  readonly #session: Session

  constructor(session: Session) {
    this.#session = session
  }

  related(text: string): boolean {
    this.#session.send(text)
    return true
  }

  answer(body: JsonObject, text?: string): void {
    this.#session.send(text ?? JSON.stringify(body))
  }

  abandon(): void {}

  /** The session ends with its stream. */
  get isAwaited(): boolean {
    return this.#session.outbox.stream !== undefined
  }
}
