import type { HttpRequest, HttpResponse } from '../../http/server/exchange.ts'
import type { JsonObject, RpcNotification, RpcRequest } from '../../messages/json-rpc.ts'
import type { Session } from '../../sessions/session.ts'
import type { Asker, Origin } from '../asker.ts'

/** Sees what happens and changes nothing, except that it may add a trace to the request. */
export interface Observer {
  readonly name: string
  /** An exchange that passed the guard. It is not known yet whether it is admitted. */
  follow?(request: HttpRequest, response: HttpResponse): void
  /** Called for every request of a client, before it may be refused. */
  watch?(request: RpcRequest, asker: Asker): Watch | undefined
  /** Called for a client's notifications. */
  notified?(notification: RpcNotification, origin: Origin): void
  /** A session of a client has ended. */
  sessionEnded?(session: Session): void
  /** The endpoint closes or gets another pipeline: writes what is still held back. Limited in time. Never rejects. */
  close?(): Promise<void>
}

/** Follows one request to its end. */
export interface Watch {
  /** Replaces the client's own message and headers. */
  readonly request?: RpcRequest
  readonly headers?: () => Readonly<Record<string, string>>
  /**
   * Called once: with the response that the client gets, or undefined when no client waits for one any more. `refusedBy`
   * names the decision that refused the request.
   */
  onEnd(response: JsonObject | undefined, refusedBy?: string): void
}
