import type { Handshake } from '@toolhaven/core/ports/gateway'
import type { JsonObject, RpcNotification, RpcRequest, RpcResponse } from '../messages/json-rpc.ts'
import type { Call } from '../sessions/call.ts'
import type { Session } from '../sessions/session.ts'

/** With sessions and initialize, or stateless (from revision 2026-07-28 on). */
export type Era = 'legacy' | 'modern'

/** The server behind an endpoint, as the endpoint sees it. Ready from its creation until `stop`. */
export interface BackendLink {
  readonly handshake: Handshake

  /** The era that the server speaks. It serves clients of both eras either way. */
  readonly era: Era

  /** Each session has its own server, or its own session at the server: what one sees there, another may not see. */
  readonly isPerSession: boolean

  /** The server's answer to the gateway's own initialize, or what it would have answered. */
  readonly result: JsonObject

  /** The response to a client's initialize (result or error). Throws when there is none, in words for the client. */
  initialize(session: Session, request: RpcRequest, headers: Readonly<Record<string, string>>): Promise<JsonObject>

  /** Carries the call to the server. The answer goes to the call. */
  request(call: Call): void

  /**
   * Sends a request of the gateway's own and returns the response, whatever it says. Absent where each session has its
   * own server.
   */
  readonly ask?: ((method: string, params: JsonObject, signal: AbortSignal) => Promise<JsonObject>) | undefined

  notify(session: Session, notification: RpcNotification): void

  /** The client's answer to a request of the server. */
  respond(session: Session, response: RpcResponse): void

  /** The client can now hear what belongs to no call. When this resolves, the server can say it, if it ever does. */
  listen(session: Session): void | Promise<void>

  endSession(session: Session): void

  /**
   * Ends what an unused session has at the server. The session gets another when its client comes back. Absent where
   * there is nothing to end.
   */
  restSession?(session: Session): void

  ping(signal: AbortSignal): Promise<void>

  /** Calls in flight get `reason`. The connection is closed, or left to its owner with `keepOpen`. */
  stop(reason: string, keepOpen: boolean): void

  /** After `stop`: resolves when a server that goes on running has been told. Absent where that takes no time. */
  readonly farewell?: Promise<void> | undefined

  /** Ends what the clients have at a server that goes on running. Absent where that ends with the connection. */
  endSessions?(): void
}

export const GATEWAY_CLIENT = { name: 'Toolhaven', version: '0.1.0' } as const

/** What the gateway can pass on to a client when the server asks for it. */
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
