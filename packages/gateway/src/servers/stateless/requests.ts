import type { JsonObject, RpcNotification } from '../../messages/json-rpc.ts'
import type { Session } from '../../sessions/session.ts'

/** One request to a stateless server. It contains everything that the server has to know about it. */
export interface ServerRequest {
  method: string
  params: JsonObject
  /** End-to-end headers of the client's request, for HTTP servers. */
  headers: Readonly<Record<string, string>>
  /** The session it belongs to. Undefined for the gateway's own requests. */
  session: Session | undefined
  /** How long it waits for a server that does not listen at the moment. */
  waitMs: number
}

/** Gets the outcome of a request. `onAnswer` or `onLost` is called once and last. */
export interface ServerReply {
  /** With the request's own progress token, or the subscription id as the server gave it. */
  onNotification(notification: RpcNotification): void
  onAnswer(body: JsonObject): void
  onLost(error: Error): void
}

/** Sends requests to a stateless server. */
export interface ServerRequests {
  /** Whether parts of a request are repeated in headers. */
  readonly takesHeaders: boolean
  /** Returns a function that ends the request: the reply gets nothing after that. */
  send(request: ServerRequest, reply: ServerReply): (params: JsonObject) => void
  /** Requests in flight get `reason`. */
  stop(reason: string, keepOpen: boolean): void
}

/** Sends a request of the gateway's own and returns the response, whatever it says. */
export function askServer(
  requests: ServerRequests,
  request: Pick<ServerRequest, 'method' | 'params'>,
  signal: AbortSignal,
): Promise<JsonObject> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted()
    const onAbort = () => {
      cancel({})
      reject(signal.reason)
    }
    const done = () => signal.removeEventListener('abort', onAbort)
    signal.addEventListener('abort', onAbort, { once: true })
    const cancel = requests.send(
      { ...request, headers: {}, session: undefined, waitMs: 0 },
      {
        onNotification: () => {},
        onAnswer: (body) => {
          done()
          resolve(body)
        },
        onLost: (error) => {
          done()
          reject(error)
        },
      },
    )
  })
}
