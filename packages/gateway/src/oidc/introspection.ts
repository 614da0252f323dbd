import { z } from 'zod'
import { describeError } from '@toolhaven/core/errors'
import type { IdentityFetch } from './identity-fetch.ts'
import { EXPIRED, ProviderUnavailable, TokenRefused } from './token-problem.ts'

export interface IntrospectionOptions {
  fetch: IdentityFetch
  url: string
  clientId?: string | undefined
  clientSecret?: string | undefined
  issuer?: string | undefined
  audiences: readonly string[]
  skewMs: number
}

const answer = z.looseObject({
  active: z.boolean(),
  exp: z.number().optional(),
  nbf: z.number().optional(),
  iss: z.string().optional(),
  aud: z.union([z.string(), z.array(z.string())]).optional(),
})

const TIMEOUT_MS = 10_000

/** Asks the provider about an opaque token (RFC 7662). */
export async function introspect(options: IntrospectionOptions, token: string): Promise<Record<string, unknown>> {
  const claims = await ask(options, token)
  const now = Date.now()
  if (!claims.active) throw new TokenRefused('the token is not active')
  if (claims.exp !== undefined && claims.exp * 1000 + options.skewMs <= now) throw new TokenRefused(EXPIRED)
  if (claims.nbf !== undefined && claims.nbf * 1000 - options.skewMs > now)
    throw new TokenRefused('the token is not valid yet')
  // The provider we asked is the issuer, unless it says otherwise.
  if (options.issuer !== undefined && claims.iss !== undefined && claims.iss !== options.issuer)
    throw new TokenRefused('the token is from another issuer')
  const audiences = claims.aud === undefined ? [] : [claims.aud].flat()
  if (!audiences.some((audience) => options.audiences.includes(audience)))
    throw new TokenRefused('the token is for another audience')
  return { ...(options.issuer !== undefined && { iss: options.issuer }), ...claims }
}

async function ask(options: IntrospectionOptions, token: string): Promise<z.infer<typeof answer>> {
  try {
    const response = await options.fetch(options.url, {
      method: 'POST',
      headers: { accept: 'application/json', ...credentials(options) },
      body: new URLSearchParams({ token, token_type_hint: 'access_token' }),
      // The token and our own credentials must reach no other address.
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    if (response.status === 200) return answer.parse(await response.json())
    await response.body?.cancel()
    throw new Error(`${new URL(options.url).host} answered the introspection request with status ${response.status}`)
  } catch (cause) {
    const why = cause instanceof z.ZodError ? 'the introspection response is not valid' : describeError(cause)
    throw new ProviderUnavailable(why, { cause })
  }
}

/** Both parts are form-encoded first: RFC 6749, section 2.3.1. */
function credentials({ clientId, clientSecret }: IntrospectionOptions): Record<string, string> {
  if (clientId === undefined) return {}
  const encode = (text: string) => new URLSearchParams({ x: text }).toString().slice(2)
  const pair = `${encode(clientId)}:${encode(clientSecret ?? '')}`
  return { authorization: `Basic ${Buffer.from(pair).toString('base64')}` }
}
