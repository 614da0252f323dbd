import type { IncomingMessage, ServerResponse } from 'node:http'
import { sendRefusal, sendText } from '../http/reply.ts'
import { errorText, RPC_ERROR, type RpcRequest } from '../json-rpc.ts'
import { describeError } from '@toolhaven/core/errors'
import { negotiateVersion } from '../protocol-versions.ts'
import type { ReplySink } from '../sessions/call.ts'
import type { Session } from '../sessions/session.ts'
import { endWithToken, full, isOwn, readMessages, type FrontContext } from './front-context.ts'

/** Until it introduces itself; clients that reconnect after a daemon restart never do. */
const UNKNOWN_CLIENT = {
  protocolVersion: '2024-11-05',
  capabilities: {},
  clientInfo: { name: 'unknown', version: '0' },
}

/** The stream of revision 2024-11-05, which is the session: GET /sse. */
export function getSse(context: FrontContext, request: IncomingMessage, response: ServerResponse): void {
  const session = context.sessions.add('sse', '2024-11-05', UNKNOWN_CLIENT)
  if (session === undefined) return sendRefusal(response, full(context))
  session.owner = context.pipeline.callerOf(request)?.id
  const stream = context.openStream(response)
  endWithToken(context, response, stream)
  stream.send(`/messages?sessionId=${session.id}`, { type: 'endpoint' })
  session.outbox.attach(stream, undefined)
  response.once('close', () => context.sessions.end(session))
}

/** A message of a client with such a stream: POST /messages?sessionId=…. Answers go to the stream. */
export async function postMessages(
  context: FrontContext,
  request: IncomingMessage,
  response: ServerResponse,
  query: string,
): Promise<void> {
  const id = new URLSearchParams(query).get('sessionId')
  if (id === null || id === '')
    return sendRefusal(response, {
      status: 400,
      code: RPC_ERROR.invalidRequest,
      message: 'The sessionId parameter is missing; open /sse first.',
    })
  const session = context.sessions.get(id)
  if (session?.front !== 'sse' || !isOwn(context, request, session))
    return sendRefusal(response, { status: 404, code: -32_001, message: 'Session not found; open /sse again.' })
  session.lastSeen = Date.now()
  const parsed = await readMessages(context, request, response)
  if (parsed === undefined) return
  if (parsed.isBatch)
    return sendRefusal(response, {
      status: 400,
      code: RPC_ERROR.invalidRequest,
      message: 'Batches are not part of this transport.',
    })
  sendText(response, 202, 'text/plain', 'Accepted')
  for (const message of parsed.messages) {
    if (message.kind === 'request' && message.method === 'initialize')
      await initialize(context, session, message, request)
    else context.dispatch(session, message, toStream(session), request)
  }
}

async function initialize(
  context: FrontContext,
  session: Session,
  message: RpcRequest,
  from: IncomingMessage,
): Promise<void> {
  session.client = message.params ?? {}
  session.version = negotiateVersion(message.params?.['protocolVersion'])
  try {
    const body = await context.initialize(session, message, from)
    session.send(JSON.stringify({ ...body, id: message.id }))
    context.listening(session)
  } catch (error) {
    session.send(errorText(message.id, RPC_ERROR.server, describeError(error)))
  }
}

function toStream(session: Session): ReplySink {
  return {
    related: (text) => {
      session.send(text)
      return true
    },
    answer: (body, text) => session.send(text ?? JSON.stringify(body)),
    abandon: () => {},
  }
}
