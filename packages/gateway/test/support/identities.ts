import type { EndpointSpec } from '@toolhaven/core/ports/gateway'
import type { IdentityFetch } from '../../src/oidc/identity-fetch.ts'
import { startGateway, type TestGateway } from './gateway.ts'

/** An identity provider that believes whatever a token says about its bearer, until the token is revoked. */
export interface Identities {
  revoked: Set<string>
  /** Introspections so far, and how many ran at the same time. */
  asked: { count: number; most: number }
  fetch: IdentityFetch
}

const AUDIENCE = 'https://mcp.example.com'

export function identities(): Identities {
  const revoked = new Set<string>()
  const asked = { count: 0, most: 0 }
  let running = 0
  return {
    revoked,
    asked,
    fetch: async (_url, init) => {
      const token = init?.body?.get('token') ?? ''
      asked.count += 1
      asked.most = Math.max(asked.most, ++running)
      await new Promise((resolve) => setTimeout(resolve, 5))
      running -= 1
      if (revoked.has(token) || !token.startsWith('t')) return Response.json({ active: false })
      const claims: object = JSON.parse(Buffer.from(token.slice(1), 'base64url').toString())
      return Response.json({ active: true, aud: AUDIENCE, ...claims })
    },
  }
}

export function tokenOf(claims: Record<string, unknown>): string {
  return `t${Buffer.from(JSON.stringify(claims)).toString('base64url')}`
}

export const AUTHENTICATION: Partial<EndpointSpec> = {
  authentication: { introspectionUrl: 'https://id.example.com/introspect', audience: AUDIENCE },
}

export interface TestIdentities extends TestGateway {
  provider: Identities
}

/** A gateway that authenticates its callers. */
export async function startWithIdentities(
  spec: Partial<EndpointSpec> = {},
  options: Parameters<typeof startGateway>[0] = {},
): Promise<TestIdentities> {
  const provider = identities()
  const test = await startGateway({ identityFetch: () => provider.fetch, ...options })
  await test.open({ ...AUTHENTICATION, ...spec })
  return { ...test, provider, [Symbol.asyncDispose]: () => test[Symbol.asyncDispose]() }
}

/** The headers of one identity. Without claims, none. */
export function bearer(claims: Record<string, unknown> | undefined): Record<string, string> {
  return claims === undefined ? {} : { authorization: `Bearer ${tokenOf(claims)}` }
}

export function ask(
  test: TestGateway,
  body: object | undefined,
  headers: Record<string, string>,
  init: { method?: string; path?: string; signal?: AbortSignal } = {},
): Promise<Response> {
  const { method = 'POST', path = '/mcp', signal } = init
  return fetch(`${test.origin}${path}`, {
    method,
    headers: {
      accept: 'application/json, text/event-stream',
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal !== undefined && { signal }),
  })
}

/** Headers of a new session of one identity. */
export async function sessionOf(
  test: TestGateway,
  claims: Record<string, unknown> | undefined,
  protocolVersion = '2025-11-25',
): Promise<Record<string, string>> {
  const params = { protocolVersion, capabilities: {}, clientInfo: { name: 't', version: '1' } }
  const response = await ask(test, { jsonrpc: '2.0', id: 0, method: 'initialize', params }, bearer(claims))
  await response.text()
  if (response.status !== 200) throw new Error(`no session: ${response.status}`)
  return { ...bearer(claims), 'mcp-session-id': response.headers.get('mcp-session-id') ?? '' }
}
