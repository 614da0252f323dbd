import { processDiscoveryResponse, type AuthorizationServer } from 'oauth4webapi'
import { z } from 'zod'
import type { LoginSpec } from '@toolhaven/core/ports/gateway'
import { describeError, unavailable } from '@toolhaven/core/errors'
import type { Challenge } from './challenge.ts'
import { endpointUrl, type LoginFetch } from './login-fetch.ts'

export interface DiscoverOptions {
  /** The remote server. */
  url: URL
  spec: LoginSpec
  challenge: Challenge
  fetch: LoginFetch
  allowPrivate: boolean
}

/** Where a person logs in, and for what. */
export interface Discovered {
  server: AuthorizationServer
  /** The resource that the token must be for. */
  resource: string
  scopes: string[]
}

/** Configured addresses first, then the server's own metadata (RFC 9728), then its origin, as older servers use it. */
export async function discover(options: DiscoverOptions): Promise<Discovered> {
  const { spec, challenge, url } = options
  const configured = configuredServer(options)
  const resource = spec.issuer || configured ? undefined : await protectedResource(options)
  const issuers = spec.issuer ? [spec.issuer] : (resource?.authorization_servers ?? [url.origin])
  const server = configured ?? (await firstServer(options, issuers))
  const asked = challenge.scope?.split(' ').filter((scope) => scope !== '')
  const scopes = spec.scopes?.length ? [...spec.scopes] : (asked ?? resource?.scopes_supported)
  return {
    server,
    resource: resource?.resource ?? canonical(url),
    scopes: withOffline(scopes ?? usualScopes(server), server, spec),
  }
}

/** RFC 8707: no fragment. MCP asks for the most specific address of the server. */
function canonical(url: URL): string {
  const named = new URL(url)
  named.hash = ''
  return named.pathname === '/' && named.search === '' ? named.origin : named.href
}

function configuredServer({ spec, allowPrivate }: DiscoverOptions): AuthorizationServer | undefined {
  const { authorizeUrl, tokenUrl, issuer } = spec
  if (!authorizeUrl || !tokenUrl) return undefined
  const authorize = endpointUrl('authorize_url', authorizeUrl, allowPrivate)
  return {
    issuer: issuer ?? authorize.origin,
    authorization_endpoint: authorize.href,
    token_endpoint: endpointUrl('token_url', tokenUrl, allowPrivate).href,
  }
}

const resourceMetadata = z.object({
  resource: z.string(),
  authorization_servers: z.array(z.string()).min(1).max(10).optional(),
  scopes_supported: z.array(z.string().regex(/^[\x21\x23-\x5b\x5d-\x7e]+$/)).optional(),
})
type ResourceMetadata = z.infer<typeof resourceMetadata>

async function protectedResource(options: DiscoverOptions): Promise<ResourceMetadata | undefined> {
  const { url, challenge } = options
  const named = challenge.resourceMetadata
  const path = url.pathname.replace(/\/$/, '')
  const wellKnown = `${url.origin}/.well-known/oauth-protected-resource`
  const places = named === undefined ? [...new Set([`${wellKnown}${path}`, wellKnown])] : [named]
  for (const place of places) {
    const body = await readJson(options, place)
    // Metadata that the server points to must exist. A place that we only guess need not.
    if (body === undefined && named === undefined) continue
    const parsed = resourceMetadata.safeParse(body)
    if (!parsed.success) throw unavailable(`its description at ${shown(place)} does not describe a protected resource`)
    if (!isAbout(parsed.data.resource, url))
      throw unavailable(`its description at ${shown(place)} is about another server`)
    return parsed.data
  }
  return undefined
}

/** The same server, or a parent of ours: otherwise one server could ask for tokens of another. */
function isAbout(resource: string, url: URL): boolean {
  const described = URL.parse(resource)
  if (described?.origin !== url.origin || described.hash !== '') return false
  const base = described.pathname.replace(/\/$/, '')
  return url.pathname === base || url.pathname.startsWith(`${base}/`)
}

async function firstServer(options: DiscoverOptions, issuers: readonly string[]): Promise<AuthorizationServer> {
  const problems: string[] = []
  for (const issuer of issuers) {
    try {
      return await authorizationServer(options, issuer)
    } catch (error) {
      problems.push(describeError(error))
    }
  }
  throw unavailable(problems.join('; '))
}

async function authorizationServer(options: DiscoverOptions, issuer: string): Promise<AuthorizationServer> {
  const { allowPrivate } = options
  const at = endpointUrl('authorization server', issuer, allowPrivate)
  for (const place of metadataPlaces(at)) {
    const body = await readJson(options, place)
    if (body === undefined) continue
    const server = await processDiscoveryResponse(at, Response.json(body))
    endpointUrl('authorization endpoint', server.authorization_endpoint, allowPrivate)
    endpointUrl('token endpoint', server.token_endpoint, allowPrivate)
    if (!server.code_challenge_methods_supported?.includes('S256'))
      throw unavailable(
        `its authorization server ${at.host} does not offer PKCE with S256, without which codes can be stolen`,
      )
    return server
  }
  throw unavailable(
    `its authorization server ${at.host} does not say where to log in. Set oauth_config, or a header with a token`,
  )
}

/** RFC 8414 with the path inserted, OpenID Connect with the path inserted and appended. */
function metadataPlaces({ origin, pathname }: URL): string[] {
  const path = pathname.replace(/\/$/, '')
  return [
    ...new Set([
      `${origin}/.well-known/oauth-authorization-server${path}`,
      `${origin}/.well-known/openid-configuration${path}`,
      `${origin}${path}/.well-known/openid-configuration`,
    ]),
  ]
}

/** Undefined when nothing is there. */
async function readJson({ fetch, allowPrivate }: DiscoverOptions, text: string): Promise<unknown> {
  const url = endpointUrl('address for its description', text, allowPrivate)
  const response = await fetch(url.href, { headers: { accept: 'application/json' } })
  if (response.status !== 200) {
    await response.body?.cancel()
    return undefined
  }
  try {
    return await response.json()
  } catch (error) {
    if (error instanceof SyntaxError) throw unavailable(`${shown(text)} does not hold JSON`)
    throw error
  }
}

/** The scopes to request if none are configured. If a server lists its scopes, only those among them. */
function usualScopes({ scopes_supported: listed = [] }: AuthorizationServer): string[] {
  const usual = ['openid', 'profile', 'email']
  return listed.length === 0 ? usual : usual.filter((scope) => listed.includes(scope))
}

/** Without it some providers give no refresh token, and a person would have to log in again every hour. */
function withOffline(scopes: readonly string[], server: AuthorizationServer, spec: LoginSpec): string[] {
  const isOffered = server.scopes_supported?.includes('offline_access') === true
  const isOurs = isOffered && !spec.scopes?.length && !scopes.includes('offline_access')
  return isOurs ? [...scopes, 'offline_access'] : [...scopes]
}

/** For a status that people read: no query, no control characters. */
function shown(text: string): string {
  const url = URL.parse(text)
  return url === null ? 'an address that cannot be read' : `${url.origin}${url.pathname}`.slice(0, 200)
}
