import { describeError } from '@toolhaven/core/errors'
import type { HttpRequest } from '../http/server/exchange.ts'
import type { BackendSlot } from '../endpoint/backend-slot.ts'
import type { Traffic } from '../endpoint/traffic.ts'
import { endToEndHeaders } from '../http/server/end-to-end-headers.ts'
import {
  idKey,
  isRequestId,
  RPC_ERROR,
  type JsonObject,
  type RequestId,
  type RpcMessage,
  type RpcNotification,
  type RpcRequest,
} from '../messages/json-rpc.ts'
import type { Asker } from '../policy/asker.ts'
import type { Watch } from '../policy/observers/observer.ts'
import type { Refusal } from '../policy/refusal.ts'
import type { GatewayLimits } from '../endpoint/options.ts'
import type { Pipeline, Refused } from '../policy/pipeline.ts'
import { Call, type ReplySink } from './call.ts'
import type { Session } from './session.ts'
import type { SessionTable } from './session-table.ts'
import { subscriptionProblem } from './subscriptions.ts'
import { weightOf, type CallMemory } from '../messages/weight.ts'

export interface DispatchContext {
  slot: BackendSlot
  /** The pipeline in force. */
  pipeline: () => Pipeline
  limits: GatewayLimits
  /** Reserved by calls that are not answered yet. */
  memory: CallMemory
  sessions: Pick<SessionTable, 'all'>
  traffic: Pick<Traffic, 'begin' | 'end' | 'refused'>
  onSettled: (request: RpcRequest) => void
}

/** The HTTP request that contained a message, and the rules that admitted it. */
export interface Admitted {
  from: HttpRequest
  /** Default: those that are in force. */
  admittedBy?: Pipeline | undefined
}

/** Dispatches one message of a client to the server. */
export function dispatch(
  context: DispatchContext,
  session: Session,
  message: RpcMessage,
  reply: ReplySink,
  admitted: Admitted,
): void {
  if (message.kind === 'response') context.slot.link?.respond(session, message)
  else if (message.kind === 'notification') notify(context, session, message, admitted.from)
  else request(context, session, message, reply, admitted)
}

function notify(context: DispatchContext, session: Session, notification: RpcNotification, from: HttpRequest): void {
  context.pipeline().notified(notification, { session, from, headers: () => ({}) })
  if (notification.method === 'notifications/cancelled') {
    const id = notification.params?.['requestId']
    if (isRequestId(id)) session.calls.get(idKey(id))?.cancel(notification.params ?? {})
    return
  }
  // Some servers would carry out a call without an id, unseen by everything that decides on calls.
  if (!notification.method.startsWith('notifications/')) return
  // A server that is away need not be told: it will be asked again when it is back.
  context.slot.link?.notify(session, notification)
}

function request(
  context: DispatchContext,
  session: Session,
  message: RpcRequest,
  reply: ReplySink,
  { from, admittedBy }: Admitted,
): void {
  const { slot, limits } = context
  const pipeline = context.pipeline()
  const id = reply.id ?? message.id
  const asker = new ClientRequest(session, from, id, slot)
  const watched = pipeline.watch(message, asker)
  const refuse = (error: Refusal, by?: string) => {
    const body = { jsonrpc: '2.0', id, error }
    watched?.onEnd(body, by)
    context.traffic.refused()
    reply.answer(body)
  }
  const problem = requestProblem(context, session, message)
  if (problem !== undefined) return refuse(problem)
  const asked = watched?.request ?? message
  const passed = pipeline.fromClient(asked, asker)
  if ('refusal' in passed) return refuse(passed.refusal, passed.by)
  const room = takeRoom(context, message)
  if ('code' in room) return refuse(room)
  const watchedReply = watched && new WatchedReply(reply, watched)
  const refusalOf = (refused: Refused | undefined) => {
    if (watchedReply !== undefined) watchedReply.refusedBy = refused?.by
    return refused?.refusal
  }
  const judged = { admittedBy: admittedBy ?? pipeline, decidedBy: pipeline, request: passed.request, asker }
  const call = new Call({
    session,
    request: passed.request,
    reply: watchedReply ?? reply,
    headers: watched?.headers ?? asker.headers,
    // Uses the rules that are in force when the answer arrives.
    onAnswer: (body) => context.pipeline().toClient(passed.request, body, asker),
    isUnread: () => watched === undefined && !context.pipeline().readsAnswersTo(passed.request.method),
    checkAgain: async () => refusalOf(await judgeAgain(context.pipeline(), judged)),
    onSettled: (outcome) => {
      room.give()
      context.traffic.end(call, outcome)
      context.onSettled(message)
    },
  })
  context.traffic.begin(call)
  call.sendLater = () => void sendToNext(call, slot, limits.backendWaitMs)
  const waited = pipeline === judged.admittedBy ? pipeline.waitFor(passed.request, asker) : judgeAgain(pipeline, judged)
  if (waited === undefined) return send(call, slot)
  void waited.then((refused) => {
    const refusal = refusalOf(refused)
    if (refusal !== undefined) call.answer({ jsonrpc: '2.0', error: refusal })
    else if (!call.isSettled) send(call, slot)
  })
}

function send(call: Call, { link }: BackendSlot): void {
  if (link === undefined) call.sendLater?.()
  else link.request(call)
}

async function sendToNext(call: Call, slot: BackendSlot, waitMs: number): Promise<void> {
  try {
    await slot.wait(waitMs)
    if (!(await call.mayGoOn())) return
    if (slot.link === undefined) call.fail('The server went away. Try again.')
    else slot.link.request(call)
  } catch (error) {
    call.fail(describeError(error))
  }
}

/** What was decided about a call when it arrived. */
interface Judged {
  admittedBy: Pipeline
  decidedBy: Pipeline
  request: RpcRequest
  asker: Asker
}

/** Once it has waited, other rules may be in force about who may call and what they may do. */
async function judgeAgain(now: Pipeline, { admittedBy, decidedBy, request, asker }: Judged) {
  if (now !== admittedBy && !(await now.mayStay(asker.from))) return UNWELCOME
  const passed = now === decidedBy ? { request } : now.fromClient(request, underWay(asker))
  return 'refusal' in passed ? passed : now.waitFor(request, asker)
}

export const UNWELCOME: Refused = {
  refusal: {
    code: RPC_ERROR.server,
    message: 'The rules for who may use this workload changed while the call waited. Send it again.',
  },
  by: 'authentication',
}

const underWay = ({ session, from, headers, id }: Asker): Asker => ({ session, from, headers, id, isUnderWay: true })

/** Reserves memory for a call until it is settled. */
function takeRoom({ memory }: DispatchContext, message: RpcRequest): Refusal | { give: () => void } {
  const weight = weightOf(message, memory.mostOfOne)
  if (weight > memory.mostOfOne) return TOO_MANY_VALUES
  if (!memory.take(weight)) return TOO_MUCH_IN_FLIGHT
  return { give: () => memory.give(weight) }
}

const TOO_MANY_VALUES: Refusal = {
  code: RPC_ERROR.invalidRequest,
  message:
    'The request has too many values: it would take too much memory. Send less at once, or send the data as one string.',
}

export const TOO_MUCH_IN_FLIGHT: Refusal = {
  code: RPC_ERROR.server,
  message: 'The calls in flight take too much memory. Wait until some are answered.',
}

class ClientRequest implements Asker {
  readonly session: Session
  readonly from: HttpRequest
  readonly id: RequestId
  readonly #slot: BackendSlot
  #headers: Readonly<Record<string, string>> | undefined

  constructor(session: Session, from: HttpRequest, id: RequestId, slot: BackendSlot) {
    this.session = session
    this.from = from
    this.id = id
    this.#slot = slot
  }

  /** A server behind pipes never reads them. */
  readonly headers = (): Readonly<Record<string, string>> => {
    const hasParams = this.session.front === 'modern' && this.#slot.link?.era === 'modern'
    return (this.#headers ??= endToEndHeaders(this.from.headers, hasParams))
  }
}

/**
 * A class, not an object with a getter: each such object has a shape of its own, which slows down all code that uses
 * it.
 */
class WatchedReply implements ReplySink {
  readonly #reply: ReplySink
  readonly #watch: Watch
  refusedBy: string | undefined

  constructor(reply: ReplySink, watch: Watch) {
    this.#reply = reply
    this.#watch = watch
  }

  get id(): RequestId | undefined {
    return this.#reply.id
  }

  get isAwaited(): boolean {
    return this.#reply.isAwaited ?? true
  }

  related(text: string): boolean {
    return this.#reply.related(text)
  }

  pause(retryMs: number | undefined): void {
    this.#reply.pause?.(retryMs)
  }

  answer(body: JsonObject, text?: string): void {
    this.#watch.onEnd(body, this.refusedBy)
    this.#reply.answer(body, text)
  }

  abandon(): void {
    this.#watch.onEnd(undefined)
    this.#reply.abandon()
  }
}

function requestProblem(context: DispatchContext, session: Session, message: RpcRequest): Refusal | undefined {
  if (message.method === 'initialize')
    return { code: RPC_ERROR.invalidRequest, message: 'This session is already initialized.' }
  if (session.calls.has(idKey(message.id)))
    return { code: RPC_ERROR.invalidRequest, message: 'A request with this id is still being answered.' }
  if (session.calls.size >= context.limits.maxCallsPerSession)
    return { code: RPC_ERROR.server, message: 'Too many calls in flight. Wait until some are answered.' }
  return message.method === 'resources/subscribe'
    ? subscriptionProblem(session, message.params?.['uri'], context.sessions.all())
    : undefined
}
