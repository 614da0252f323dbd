import type { IsolatedSpec } from '@toolhaven/core/ports/gateway'
import type { HttpRequest, HttpResponse } from '../http/server/exchange.ts'
import type { BackendLink } from '../servers/backend.ts'
import type { EventStream } from '../http/server/event-stream.ts'
import { readBody } from '../http/server/read-body.ts'
import { sendJson, sendRefusal, type HttpRefusal } from '../http/server/reply.ts'
import type { JsonObject } from '../messages/json-rpc.ts'
import { tooLarge } from '../policy/admission/limits.ts'
import type { Parsed } from '../messages/parse.ts'
import type { GatewayLimits } from '../endpoint/options.ts'
import type { Pipeline } from '../policy/pipeline.ts'
import type { DispatchContext } from '../sessions/dispatch.ts'
import type { KeptOfCallers } from '../sessions/kept-of-callers.ts'
import type { Session } from '../sessions/session.ts'
import type { SessionTable } from '../sessions/session-table.ts'
import { HeldRoom, type CallMemory } from '../messages/weight.ts'
import { oversizedDescription } from './client-description.ts'
import type { ModernClients } from './stateless/modern-clients.ts'
import type { ParkedCalls } from './stateless/parked-calls.ts'
import type { SealedStates } from './stateless/sealed-states.ts'
import type { MirroredTools } from './stateless/tool-headers.ts'

/** What an endpoint offers its front ends. */
export interface FrontContext {
  readonly limits: GatewayLimits
  /** Reserved by requests until they are answered. */
  readonly memory: CallMemory
  readonly pipeline: Pipeline
  readonly sessions: SessionTable
  /** When set, each session has a server of its own, so stateless clients cannot be served. */
  readonly isolated: IsolatedSpec | undefined
  /** Runs `work`. If it throws, the client still gets an answer. */
  attempt(response: HttpResponse, work: () => void | Promise<void>): void
  /**
   * Opens a stream that gets keep-alive lines until it closes. It ends when the client that asked for it loses its
   * rights.
   */
  openStream(response: HttpResponse, headers?: Readonly<Record<string, string>>): EventStream
  /** What the messages of clients need on their way to the server. */
  readonly dispatching: DispatchContext
  /** The server behind the endpoint. Waits for one that is restarting. */
  server(): Promise<Pick<BackendLink, 'era' | 'result'>>
  /** Sends a request of the gateway's own in the name of a session and returns the response. */
  ask(session: Session, method: string, params: JsonObject): Promise<JsonObject>
  readonly modern: ModernContext
  /** Resolves when the client can hear what belongs to no call: the server can now say it, unless it is away. */
  listening(session: Session): Promise<void>
}

/** What the stateless era needs in addition. */
export interface ModernContext {
  readonly clients: ModernClients
  readonly parked: ParkedCalls
  /** What parked calls keep until their clients come back. */
  readonly kept: KeptOfCallers
  readonly states: SealedStates
  /** The server's tools that have parameters which clients repeat in headers. */
  mirroredTools(session: Session): Promise<MirroredTools>
  /** The tools may have changed. */
  forgetTools(): void
  /** A tool is hidden because the marks in its schema are invalid. */
  onDropped(tool: string, why: string): void
  nextId(): string
}

/** What a client gets when there is no room for it. */
export function full({ isolated }: FrontContext): HttpRefusal {
  if (isolated === undefined) return { status: 503, message: 'This server has too many clients. Try again later.' }
  const { maxSessions } = isolated
  const message = `Each client session has a server of its own here, and all ${maxSessions} are taken. End one, wait until an idle one ends, or raise limits.max_sessions of the workload.`
  return { status: 503, message }
}

/** Whether the session belongs to the caller. */
export function isOwn(context: FrontContext, request: HttpRequest, session: Session): boolean {
  return session.owner === context.pipeline.callerOf(request)?.id
}

/** A request that other rules admitted has to be sent again. */
const CHANGED: HttpRefusal = { status: 503, message: 'The workload changed while this request arrived. Send it again.' }

const NO_ROOM: HttpRefusal = {
  status: 503,
  message: 'The requests in flight take too much memory. Send this one again when some are answered.',
  headers: { 'retry-after': '5' },
}

/** Passes on the messages of a POST as soon as they have arrived. Answers the request itself when it refuses them. */
export function readMessages(
  context: FrontContext,
  request: HttpRequest,
  response: HttpResponse,
  onMessages: (parsed: Parsed) => void | Promise<void>,
): void {
  const { pipeline } = context
  const { maxMessageBytes: maxBytes } = pipeline
  const room = new HeldRoom(context.memory)
  readBody(request, { maxBytes, hasRoom: (bytes) => room.hold(bytes) }, (body) => {
    room.release()
    if (body === 'aborted') return
    context.attempt(response, () => {
      if (context.pipeline !== pipeline) return sendRefusal(response, CHANGED)
      if (body === 'too-large') return sendRefusal(response, tooLarge(maxBytes))
      if (body === 'no-room') return sendRefusal(response, NO_ROOM)
      const parsed = pipeline.parse(body)
      if (!('messages' in parsed)) return sendRefusal(response, parsed)
      const refusal = oversizedDescription(body, parsed.messages)
      return refusal === undefined ? onMessages(parsed) : sendJson(response, 400, refusal)
    })
  })
}
