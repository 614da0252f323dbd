import { z } from 'zod'

/**
 * Where logins are kept beyond the daemon's life. The content opens the user's accounts: it must be encrypted before it
 * reaches a disk.
 */
export interface LoginStore {
  get(name: string): Promise<string | undefined>
  set(name: string, text: string): Promise<void>
  delete(name: string): Promise<void>
}

const tokens = z.object({
  access: z.string().min(1),
  refresh: z.string().min(1).optional(),
  /** Milliseconds since 1970. Undefined when unknown. */
  expiresAt: z.number().optional(),
  /** Their lifetime when they were issued, in milliseconds. */
  lifetime: z.number().optional(),
})
export type Tokens = z.infer<typeof tokens>

const loginClient = z.object({
  id: z.string().min(1),
  /** Only for a client that registered itself: any other secret is in the secret store. */
  secret: z.string().optional(),
  authMethod: z.enum(['none', 'client_secret_basic', 'client_secret_post']),
  isRegistered: z.boolean(),
  redirectUri: z.string(),
})
export type LoginClient = z.infer<typeof loginClient>

const loginRecord = z.object({
  /** What all of this was made for. For another server or configuration it is worthless. */
  basis: z.string(),
  /** Credentials belong to the authorization server that issued them. */
  issuer: z.string(),
  tokenEndpoint: z.string(),
  /** The resource that the tokens are for. */
  resource: z.string(),
  client: loginClient,
  /** Scopes that the login asked for. A server that wants others needs another login. */
  scopes: z.array(z.string()).optional(),
  tokens: tokens.optional(),
})
export type LoginRecord = z.infer<typeof loginRecord>

/** Undefined when it is not a login record, or was made for another purpose. */
export function parseLoginRecord(text: string | undefined, basis: string): LoginRecord | undefined {
  if (text === undefined) return undefined
  try {
    const parsed = loginRecord.safeParse(JSON.parse(text))
    return parsed.success && parsed.data.basis === basis ? parsed.data : undefined
  } catch {
    // A damaged record costs a login, nothing more.
    return undefined
  }
}
