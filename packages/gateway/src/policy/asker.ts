import type { HttpRequest } from '../http/server/exchange.ts'
import type { RequestId } from '../messages/json-rpc.ts'
import type { Session } from '../sessions/session.ts'

/** Where a message of a client came from. */
export interface Origin {
  /** Undefined when the gateway itself answers a stateless client. */
  session: Session | undefined
  /** The HTTP request that contained it. */
  from: HttpRequest
  /** End-to-end headers of that HTTP request, computed on demand. */
  headers: () => Readonly<Record<string, string>>
}

/** The sender of a request, and details that are not in the request. */
export interface Asker extends Origin {
  /** The id that the client gave the request. */
  id: RequestId
  /** Asks only what would be decided. The request itself comes later, and counts then. */
  isTrial?: true
  /** It was admitted before, under other rules: it has been counted, and already uses the server's names. */
  isUnderWay?: true
}
