import type { HttpRequest, HttpResponse } from '../http/server/exchange.ts'
import type { HttpAnswer, HttpRefusal } from '../http/server/reply.ts'
import type { JsonObject, RequestId, RpcMessage, RpcNotification, RpcRequest } from '../messages/json-rpc.ts'
import type { Session } from '../sessions/session.ts'
import type { Refusal } from './refusal.ts'

export type Parsed = { messages: RpcMessage[]; isBatch: boolean }

/** Undefined lets the request go on. */
export type Admission = HttpRefusal | HttpAnswer | undefined

/** Where a message of a client came from. */
export interface Origin {
  /** Undefined for what the gateway answers a client without a session by itself. */
  session: Session | undefined
  /** The HTTP request it came in. */
  from: HttpRequest
  /** End-to-end headers of the HTTP request it came in; made when somebody looks. */
  headers: () => Readonly<Record<string, string>>
}

/** Who sent a request, besides what is in it. */
export interface Asker extends Origin {
  /** What the client itself calls the request. */
  id: RequestId
  /** Somebody wants to know what would be decided; the request itself comes later, and counts then. */
  isTrial?: true
}

/** Follows one request to its end. */
export interface Watch {
  /** Goes on in place of the client's own message and headers. */
  readonly request?: RpcRequest
  readonly headers?: () => Readonly<Record<string, string>>
  /**
   * Called once: with the response the client gets, or undefined when nobody waits for one any more; `refusedBy` names the
   * middleware that refused it.
   */
  onEnd(response: JsonObject | undefined, refusedBy?: string): void
}

/** One concern between clients and the server. Each hook is optional; a refusal ends the way. */
export interface Middleware {
  readonly name: string
  /**
   * Looks at the HTTP request before a byte of its body is read. An answer or a refusal ends the way here. What is known
   * at once is said at once: a promise is for the rare case.
   */
  admit?(request: HttpRequest): Admission | Promise<Admission>
  /** Whether the sender of a request that was admitted before may go on hearing what comes on its stream. */
  mayStay?(request: HttpRequest): boolean | Promise<boolean>
  /** Whether a message of the server may go to the sender of a request, on its stream. */
  mayHear?(text: string, request: HttpRequest): boolean
  /** Sees an admitted or refused exchange of HTTP before it is answered. */
  follow?(request: HttpRequest, response: HttpResponse): void
  /** Turns the body into messages; exactly one middleware does. */
  parse?(body: readonly Buffer[]): Parsed | HttpRefusal
  /** Sees every request of a client before it may be refused, and how it ended. */
  watch?(request: RpcRequest, asker: Asker): Watch | undefined
  /** Refuses a request of a client, or gives the one that goes on in its place. */
  fromClient?(request: RpcRequest, asker: Asker): Refusal | RpcRequest | undefined
  /** After all others let the request pass: what it has to wait for, and then perhaps a refusal. Never rejects. */
  waits?(request: RpcRequest, asker: Asker): Promise<Refusal | undefined> | undefined
  /** Sees what a client tells without asking; true keeps it from the server. */
  holdsBack?(notification: RpcNotification, origin: Origin): boolean
  /** Which answers the next one is for; left out: all. */
  readsAnswersTo?(method: string): boolean
  /** Changes the server's answer to a request; the request is the one that reached the server. */
  toClient?(request: RpcRequest, answer: JsonObject, asker: Asker): JsonObject | Promise<JsonObject>
  /** A session of a client is over. */
  sessionEnded?(session: Session): void
  /** The endpoint closes or gets another pipeline: what is still held back is written. Bounded in time; never rejects. */
  close?(): Promise<void>
}
