import type { HttpRequest } from '../http/server/exchange.ts'
import type { RequestId } from '../messages/json-rpc.ts'
import type { Session } from '../sessions/session.ts'

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
  /** It was let through before, when other rules were in force: it has counted, and it has the server's names. */
  isUnderWay?: true
}
