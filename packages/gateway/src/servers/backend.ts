import type { Handshake } from '@toolhaven/core/ports/gateway'
import type { JsonObject, RpcNotification, RpcRequest, RpcResponse } from '../messages/json-rpc.ts'
import type { Call } from '../sessions/call.ts'
import type { Session } from '../sessions/session.ts'

/** With sessions and initialize, or (from revision 2026-07-28 on) without. */
export type Era = 'legacy' | 'modern'

/** What stands behind an endpoint, as the endpoint sees it. Ready from its creation until `stop`. */
export interface BackendLink {
  readonly handshake: Handshake

  /** What the server speaks. Whatever it is, it serves clients of both eras. */
  readonly era: Era

  /** Each session has a server, or a session at the server, of its own: what one sees there another may not. */
  readonly isPerSession: boolean

  /** The server's answer to the gateway's own initialize, or what it would have answered. */
  readonly result: JsonObject

  /** The response to a client's initialize (result or error); throws when there is none, in words for the client. */
  initialize(session: Session, request: RpcRequest, headers: Readonly<Record<string, string>>): Promise<JsonObject>

  /** Carries the call to the server; the answer goes to the call. */
  request(call: Call): void

  /** A request of the gateway's own: the response, whatever it says. Left out where all servers are sessions' own. */
  readonly ask?: ((method: string, params: JsonObject, signal: AbortSignal) => Promise<JsonObject>) | undefined

  notify(session: Session, notification: RpcNotification): void

  /** The client's answer to a request of the server. */
  respond(session: Session, response: RpcResponse): void

  /** The client can hear what belongs to no call. When this ends, the server can say it, if it ever does. */
  listen(session: Session): void | Promise<void>

  endSession(session: Session): void

  /** Ends what an unused session has at the server. It gets another when its client comes back. Left out where it has nothing there. */
  restSession?(session: Session): void

  ping(signal: AbortSignal): Promise<void>

  /** Calls in flight get `reason`; the connection is closed, or with `keepOpen` left to its owner. */
  stop(reason: string, keepOpen: boolean): void

  /** After `stop`: ends when a server that goes on without us has been told. Left out where that needs no time. */
  readonly farewell?: Promise<void> | undefined

  /** Ends what the clients have at a server that goes on without us. Left out where that ends with the connection. */
  endSessions?(): void
}

export const GATEWAY_CLIENT = { name: 'Toolhaven', version: '0.1.0' } as const

/** What the gateway can pass on to some client when the server asks for it. */
export const GATEWAY_CAPABILITIES = {
  roots: { listChanged: true },
  sampling: {},
  elicitation: { form: {}, url: {} },
} as const

export function toHandshake(result: JsonObject): Handshake {
  const info = result['serverInfo']
  const text = (value: unknown) => (typeof value === 'string' ? value : '')
  const isNamed = typeof info === 'object' && info !== null
  return {
    protocolVersion: text(result['protocolVersion']),
    serverName: isNamed && 'name' in info ? text(info.name) : '',
    serverVersion: isNamed && 'version' in info ? text(info.version) : '',
  }
}
