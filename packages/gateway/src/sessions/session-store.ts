import { z } from 'zod'

/**
 * Where sessions are kept beyond the daemon's life. The ids in it let anyone act as the client: keep it as private as
 * secrets.
 */
export interface SessionStore {
  /** What was saved, or undefined. The gateway checks it. */
  load(name: string): Promise<unknown>
  save(name: string, data: StoredEndpoint): Promise<void>
  /** Succeeds when nothing is there. */
  remove(name: string): Promise<void>
}

const jsonObject = z.record(z.string(), z.unknown())

const storedSession = z.object({
  id: z.string().min(16),
  version: z.string(),
  /** `params` of the client's initialize request. */
  client: jsonObject,
  lastSeen: z.number(),
  subscriptions: z.array(z.string()),
  logLevel: z.string().optional(),
  /** Who opened it, where callers are authenticated. */
  owner: z.string().optional(),
  /** The session at an HTTP server that belongs to this one. Without an id when the server gives none. */
  upstream: z.object({ processId: z.string(), sessionId: z.string().optional() }).optional(),
  /**
   * Missing in data of versions that did not end sessions at servers early: it is unknown whether there are tasks, so
   * there may be.
   */
  hasTasks: z.boolean().default(true),
})

export const storedEndpoint = z.object({
  format: z.literal(1),
  /** What the process with this identity answered to the gateway. */
  handshake: z
    .object({
      processId: z.string(),
      result: jsonObject,
      /** Missing in data of versions that knew only one era. */
      era: z.enum(['legacy', 'modern']).default('legacy'),
      opening: z.enum(['discover', 'initialize']).default('discover'),
    })
    .optional(),
  sessions: z.array(storedSession),
})

export type StoredSession = z.infer<typeof storedSession>
export type StoredEndpoint = z.infer<typeof storedEndpoint>
export type StoredHandshake = NonNullable<StoredEndpoint['handshake']>
