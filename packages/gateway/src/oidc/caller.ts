import type { Notes } from '../http/notes.ts'

/** Who calls, as their token says. */
export interface Caller {
  /** One person or program, over all their tokens: what a session belongs to. */
  id: string
  claims: Readonly<Record<string, unknown>>
  /** When the token ends, in milliseconds since 1970. */
  expiresAt: number
}

/** Of requests that are being handled; no entry: nobody asked who calls. */
export type Callers = Notes<Caller>

export function callerOf(claims: Readonly<Record<string, unknown>>, expiresAt: number): Caller {
  const { iss, sub, client_id: clientId, azp } = claims
  return { id: JSON.stringify([iss ?? null, sub ?? clientId ?? azp ?? null]), claims, expiresAt }
}
