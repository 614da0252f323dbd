import { z } from 'zod'

/** Where sessions outlive the daemon. Ids in it let their bearer act as the client: keep it as private as secrets. */
export interface SessionStore {
  /** What was saved, or undefined. It is checked by the gateway, whatever it is. */
  load(name: string): Promise<unknown>
  save(name: string, data: StoredEndpoint): Promise<void>
  /** Fine when nothing is there. */
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
  /** Who opened it, where callers say who they are. */
  owner: z.string().optional(),
  /** The session at an HTTP server that belongs to this one; without an id when the server gives none. */
  upstream: z.object({ processId: z.string(), sessionId: z.string().optional() }).optional(),
  /** Left out by versions that did not end sessions at servers early: they do not say whether there are tasks, so there may be. */
  hasTasks: z.boolean().default(true),
})

export const storedEndpoint = z.object({
  format: z.literal(1),
  /** What the process with this identity answered to the gateway. */
  handshake: z
    .object({
      processId: z.string(),
      result: jsonObject,
      /** Left out by versions that knew one era only. */
      era: z.enum(['legacy', 'modern']).default('legacy'),
      opening: z.enum(['discover', 'initialize']).default('discover'),
    })
    .optional(),
  sessions: z.array(storedSession),
})

export type StoredSession = z.infer<typeof storedSession>
export type StoredEndpoint = z.infer<typeof storedEndpoint>
export type StoredHandshake = NonNullable<StoredEndpoint['handshake']>
