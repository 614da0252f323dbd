import { z } from 'zod'
import { describeError } from '@toolhaven/core/errors'
import type { IdentityFetch } from './identity-fetch.ts'
import { ProviderUnavailable } from './token-problem.ts'

const metadata = z.object({ issuer: z.string(), jwks_uri: z.string() })

/** Where an issuer publishes its keys: OpenID Connect Discovery, then RFC 8414. */
export async function discoverKeysUrl(fetch: IdentityFetch, issuer: string): Promise<string> {
  const problems: string[] = []
  for (const url of metadataUrls(issuer)) {
    try {
      const found = metadata.parse(await readJson(fetch, url))
      // Otherwise one issuer could speak for another: both specifications demand this check.
      if (found.issuer === issuer) return found.jwks_uri
      problems.push(`${url} describes another issuer`)
    } catch (error) {
      problems.push(`${url}: ${error instanceof z.ZodError ? 'not the metadata of an issuer' : describeError(error)}`)
    }
  }
  throw new ProviderUnavailable(`the issuer ${issuer} was not found (${problems.join('; ')})`)
}

function metadataUrls(issuer: string): string[] {
  const base = issuer.replace(/\/$/, '')
  const { origin, pathname } = new URL(issuer)
  return [
    `${base}/.well-known/openid-configuration`,
    `${origin}/.well-known/oauth-authorization-server${pathname.replace(/\/$/, '')}`,
  ]
}

async function readJson(fetch: IdentityFetch, url: string): Promise<unknown> {
  const response = await fetch(url, { headers: { accept: 'application/json' } })
  if (response.status === 200) return response.json()
  await response.body?.cancel()
  throw new Error(`status ${response.status}`)
}
