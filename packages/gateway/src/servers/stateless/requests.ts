import type { JsonObject, RpcNotification } from '../../messages/json-rpc.ts'
import type { Session } from '../../sessions/session.ts'

/** One request to a server without sessions. All there is to know about it is in it. */
export interface ServerRequest {
  method: string
  params: JsonObject
  /** End-to-end headers of the client's request, for HTTP servers. */
  headers: Readonly<Record<string, string>>
  /** Whose it is; undefined for the gateway's own. */
  session: Session | undefined
  /** How long it waits for a server that nobody listens for at the moment. */
  waitMs: number
}

/** What comes of a request. `onAnswer` or `onLost` is called once and is the last. */
export interface ServerReply {
  /** With the request's own progress token; with the mark of a subscription as the server gave it. */
  onNotification(notification: RpcNotification): void
  onAnswer(body: JsonObject): void
  onLost(error: Error): void
}

/** The way to a server without sessions. */
export interface ServerRequests {
  /** Parts of a request are repeated in headers. */
  readonly takesHeaders: boolean
  /** Gives what ends the request: nothing more comes of it then. */
  send(request: ServerRequest, reply: ServerReply): (params: JsonObject) => void
  /** Requests in flight get `reason`. */
  stop(reason: string, keepOpen: boolean): void
}

/** A request of the gateway's own: the response, whatever it says. */
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
