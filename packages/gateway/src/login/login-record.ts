import { z } from 'zod'

/** Where logins outlive the daemon. What is in it opens the user's accounts: only sealed may it reach a disk. */
export interface LoginStore {
  get(name: string): Promise<string | undefined>
  set(name: string, text: string): Promise<void>
  delete(name: string): Promise<void>
}

const tokens = z.object({
  access: z.string().min(1),
  refresh: z.string().min(1).optional(),
  /** Milliseconds since 1970; left out: nobody knows. */
  expiresAt: z.number().optional(),
  /** How long they were to live when they were given, in milliseconds. */
  lifetime: z.number().optional(),
})
export type Tokens = z.infer<typeof tokens>

const loginClient = z.object({
  id: z.string().min(1),
  /** Only of a client that registered itself: another's is in the secret store. */
  secret: z.string().optional(),
  authMethod: z.enum(['none', 'client_secret_basic', 'client_secret_post']),
  isRegistered: z.boolean(),
  redirectUri: z.string(),
})
export type LoginClient = z.infer<typeof loginClient>

const loginRecord = z.object({
  /** What all of this was made for; under another server or configuration it is worth nothing. */
  basis: z.string(),
  /** Credentials belong to the authorization server that gave them. */
  issuer: z.string(),
  tokenEndpoint: z.string(),
  /** Whom the tokens are for. */
  resource: z.string(),
  client: loginClient,
  /** Asked for with the login; a server that wants others needs another. */
  scopes: z.array(z.string()).optional(),
  tokens: tokens.optional(),
})
export type LoginRecord = z.infer<typeof loginRecord>

/** Undefined when it is not one, or not for this purpose. */
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
