import { z } from 'zod'
import type { RegistryCredentials } from '../engine/registry-credentials.ts'
import type { RegistryFetch } from './registry-fetch.ts'

export interface AuthorizationOptions {
  fetch: RegistryFetch
  /** Scheme and host of the registry. */
  base: string
  repository: string
  credentials?: RegistryCredentials
}

export interface Authorization {
  header(): Record<string, string>
  /** Does what a refusal asks for. Returns false when there is nothing better to offer. */
  renew(challenge: string | null, signal: AbortSignal): Promise<boolean>
}

const tokenSchema = z.looseObject({ token: z.string().optional(), access_token: z.string().optional() })

/** Registries refuse the first request and say where to get a token, or that they want name and password. */
export function createAuthorization(options: AuthorizationOptions): Authorization {
  const { credentials } = options
  let value: string | undefined
  let isTried = false
  return {
    header: (): Record<string, string> => (value === undefined ? {} : { authorization: value }),
    async renew(challenge, signal) {
      if (isTried || challenge === null) return false
      isTried = true
      if (/^basic\b/i.test(challenge)) {
        value = credentials && basic(credentials)
        return value !== undefined
      }
      const token = /^bearer\b/i.test(challenge) ? await askToken(options, challenge, signal) : undefined
      value = token === undefined ? undefined : `Bearer ${token}`
      return value !== undefined
    },
  }
}

async function askToken(
  { fetch, base, repository, credentials }: AuthorizationOptions,
  challenge: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const parameters = new Map(
    [...challenge.matchAll(/([a-z]+)="([^"]*)"/gi)].map(([, key = '', text = '']) => [key.toLowerCase(), text]),
  )
  const realm = URL.parse(parameters.get('realm') ?? '')
  // Name and password are sent there: never unencrypted for a registry that is reached over https.
  if (realm === null || (realm.protocol !== 'https:' && new URL(base).protocol === 'https:')) return undefined
  const service = parameters.get('service') ?? ''
  const scope = `repository:${repository}:pull`
  const answer =
    credentials?.identitytoken === undefined
      ? await fetch(withQuery(realm, { service, scope }), {
          headers: credentials ? { authorization: basic(credentials) } : {},
          redirect: 'error',
          signal,
        })
      : await fetch(realm.href, {
          method: 'POST',
          body: refreshForm(credentials.identitytoken, service, scope),
          redirect: 'error',
          signal,
        })
  if (!answer.ok) {
    await answer.body?.cancel()
    return undefined
  }
  const { token, access_token: accessToken } = tokenSchema.parse(await answer.json())
  return token ?? accessToken
}

function withQuery(realm: URL, query: Record<string, string>): string {
  const url = new URL(realm)
  for (const [key, text] of Object.entries(query)) if (text !== '') url.searchParams.set(key, text)
  return url.href
}

function refreshForm(refreshToken: string, service: string, scope: string): URLSearchParams {
  return new URLSearchParams({
    grant_type: 'refresh_token',
    client_id: 'toolhaven',
    refresh_token: refreshToken,
    service,
    scope,
  })
}

function basic({ username, password }: RegistryCredentials): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
}
