import type { Notes } from '../http/server/notes.ts'
import { TokenRefused } from './token-problem.ts'

/** The caller, as their token describes them. */
export interface Caller {
  /** A person, or a program that calls in its own name. */
  kind: 'user' | 'client'
  /**
   * The subject of a user, or the client id of a client. It is an identity only together with the kind and the issuer.
   */
  name: string
  /** One person or program, over all their tokens: the owner of sessions, limits and everything else that is kept. */
  id: string
  claims: Readonly<Record<string, unknown>>
  /** When the token ends, in milliseconds since 1970. */
  expiresAt: number
}

/** The callers of requests that are being handled. No entry: the endpoint does not authenticate. */
export type Callers = Notes<Caller>

/** Throws TokenRefused if the token names no user and no client. */
export function callerOf(claims: Readonly<Record<string, unknown>>, expiresAt: number): Caller {
  const sub = claims['sub'] ?? undefined
  const clientId = textOf(claims['client_id']) ?? textOf(claims['azp'])
  if (sub !== undefined && textOf(sub) === undefined) throw new TokenRefused('its sub is not a usable name')
  const user = sub === clientId ? undefined : textOf(sub)
  const name = user ?? clientId
  if (name === undefined) throw new TokenRefused('it has neither sub nor client_id')
  const kind = user === undefined ? 'client' : 'user'
  return { kind, name, id: JSON.stringify([claims['iss'] ?? null, kind, name]), claims, expiresAt }
}

function textOf(claim: unknown): string | undefined {
  return typeof claim === 'string' && claim !== '' ? claim : undefined
}
