import { describeError } from '@toolhaven/core/errors'
import type { BackendSlot } from './backend-slot.ts'
import { idKey, isRequestId, RPC_ERROR, type RpcMessage, type RpcNotification, type RpcRequest } from './json-rpc.ts'
import type { Watch } from './middleware/middleware.ts'
import type { GatewayLimits } from './options.ts'
import type { Pipeline } from './pipeline.ts'
import { Call, type ReplySink } from './sessions/call.ts'
import type { Session } from './sessions/session.ts'

export interface DispatchContext {
  slot: BackendSlot
  pipeline: Pipeline
  limits: GatewayLimits
  onStarted: (call: Call) => void
  onSettled: (request: RpcRequest) => void
}

/** One message of a client, on its way to the server. */
export function dispatch(
  context: DispatchContext,
  session: Session,
  message: RpcMessage,
  reply: ReplySink,
  headers: Readonly<Record<string, string>>,
): void {
  if (message.kind === 'response') context.slot.link?.respond(session, message)
  else if (message.kind === 'notification') notify(context, session, message)
  else request(context, session, message, reply, headers)
}

function notify(context: DispatchContext, session: Session, notification: RpcNotification): void {
  if (notification.method === 'notifications/cancelled') {
    const id = notification.params?.['requestId']
    if (isRequestId(id)) session.calls.get(idKey(id))?.cancel(notification.params ?? {})
    return
  }
  // A server that is away has nothing to be told: it will be asked anew when it is back.
  context.slot.link?.notify(session, notification)
}

function request(
  context: DispatchContext,
  session: Session,
  message: RpcRequest,
  reply: ReplySink,
  headers: Readonly<Record<string, string>>,
): void {
  const { pipeline, slot, limits } = context
  const watched = pipeline.watch(message, { session, headers, id: reply.id ?? message.id })
  const sink = watched === undefined ? reply : watchedReply(reply, watched)
  const refusal = refuse(context, session, message)
  if (refusal !== undefined) return sink.answer({ jsonrpc: '2.0', id: reply.id ?? message.id, error: refusal })
  const call = new Call({
    session,
    request: watched?.request ?? message,
    reply: sink,
    headers: watched?.headers ?? headers,
    onAnswer: (method, body) => pipeline.toClient(method, body),
    onSettled: () => context.onSettled(message),
  })
  context.onStarted(call)
  if (slot.link !== undefined) return slot.link.request(call)
  slot.wait(limits.backendWaitMs).then(
    (link) => {
      if (!call.isSettled) link.request(call)
    },
    (error: unknown) => call.fail(describeError(error)),
  )
}

function watchedReply(reply: ReplySink, watch: Watch): ReplySink {
  return {
    get id() {
      return reply.id
    },
    related: (text) => reply.related(text),
    answer: (body) => {
      watch.onEnd(body)
      reply.answer(body)
    },
    abandon: () => {
      watch.onEnd(undefined)
      reply.abandon()
    },
  }
}

function refuse(
  context: DispatchContext,
  session: Session,
  message: RpcRequest,
): { code: number; message: string } | undefined {
  if (message.method === 'initialize')
    return { code: RPC_ERROR.invalidRequest, message: 'This session is initialized already.' }
  if (session.calls.has(idKey(message.id)))
    return { code: RPC_ERROR.invalidRequest, message: 'A request with this id is still being answered.' }
  if (session.calls.size >= context.limits.maxCallsPerSession)
    return { code: RPC_ERROR.server, message: 'Too many calls in flight; wait for some to be answered.' }
  return context.pipeline.fromClient(message)
}
