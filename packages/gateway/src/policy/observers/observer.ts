import type { HttpRequest, HttpResponse } from '../../http/server/exchange.ts'
import type { JsonObject, RpcNotification, RpcRequest } from '../../messages/json-rpc.ts'
import type { Session } from '../../sessions/session.ts'
import type { Asker, Origin } from '../asker.ts'

/** Sees what happens and changes nothing of it, except that a trace goes on in the request. */
export interface Observer {
  readonly name: string
  /** An exchange that passed the guard; whether it is admitted is not known yet. */
  follow?(request: HttpRequest, response: HttpResponse): void
  /** Every request of a client, before it may be refused. */
  watch?(request: RpcRequest, asker: Asker): Watch | undefined
  /** What a client tells without asking. */
  notified?(notification: RpcNotification, origin: Origin): void
  /** A session of a client is over. */
  sessionEnded?(session: Session): void
  /** The endpoint closes or gets another pipeline: what is still held back is written. Bounded in time; never rejects. */
  close?(): Promise<void>
}

/** Follows one request to its end. */
export interface Watch {
  /** Goes on in place of the client's own message and headers. */
  readonly request?: RpcRequest
  readonly headers?: () => Readonly<Record<string, string>>
  /**
   * Called once: with the response the client gets, or undefined when nobody waits for one any more; `refusedBy` names the
   * decision that refused it.
   */
  onEnd(response: JsonObject | undefined, refusedBy?: string): void
}
