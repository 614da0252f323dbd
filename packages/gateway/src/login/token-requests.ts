import {
  authorizationCodeGrantRequest,
  processAuthorizationCodeResponse,
  processRefreshTokenResponse,
  refreshTokenGrantRequest,
  ResponseBodyError,
  validateAuthResponse,
  type AuthorizationServer,
  type TokenEndpointResponse,
} from 'oauth4webapi'
import type { LoginSpec } from '@toolhaven/core/ports/gateway'
import { unavailable } from '@toolhaven/core/errors'
import { clientAuth, requestOptions } from './client.ts'
import type { LoginFetch } from './login-fetch.ts'
import type { LoginClient, LoginRecord, Tokens } from './login-record.ts'

export interface TokenContext {
  spec: LoginSpec
  fetch: LoginFetch
  allowPrivate: boolean
}

export interface CodeExchange {
  server: AuthorizationServer
  client: LoginClient
  resource: string
  state: string
  verifier: string
}

/** Checks what the browser brought (state, `iss` of RFC 9207) and exchanges the code for tokens. */
export async function exchangeCode(
  { spec, fetch, allowPrivate }: TokenContext,
  { server, client, resource, state, verifier }: CodeExchange,
  params: URLSearchParams,
): Promise<Tokens> {
  const oauthClient = { client_id: client.id }
  const checked = validateAuthResponse(server, oauthClient, params, state)
  const response = await authorizationCodeGrantRequest(
    server,
    oauthClient,
    clientAuth(client, spec),
    checked,
    client.redirectUri,
    verifier,
    { ...requestOptions(fetch, allowPrivate), additionalParameters: { resource } },
  )
  return tokensOf(await processAuthorizationCodeResponse(server, oauthClient, response))
}

/** New tokens. Undefined when the old ones are no longer valid. Throws when that cannot be determined. */
export async function refreshTokens(
  { spec, fetch, allowPrivate }: TokenContext,
  { issuer, tokenEndpoint, client, resource }: LoginRecord,
  refresh: string,
): Promise<Tokens | undefined> {
  const server = { issuer, token_endpoint: tokenEndpoint }
  const oauthClient = { client_id: client.id }
  try {
    const response = await refreshTokenGrantRequest(server, oauthClient, clientAuth(client, spec), refresh, {
      ...requestOptions(fetch, allowPrivate),
      additionalParameters: { resource },
    })
    const tokens = tokensOf(await processRefreshTokenResponse(server, oauthClient, response))
    // If the server gives no new refresh token, the old one stays valid.
    return { refresh, ...tokens }
  } catch (error) {
    if (error instanceof ResponseBodyError && error.status < 500 && error.status !== 429) return undefined
    throw error
  }
}

function tokensOf(answer: TokenEndpointResponse): Tokens {
  if (answer.token_type !== 'bearer') throw unavailable(`its tokens are of a kind that is not supported`)
  const { access_token: access, refresh_token: refresh, expires_in: seconds } = answer
  return {
    access,
    ...(refresh !== undefined && { refresh }),
    ...(seconds !== undefined && { expiresAt: Date.now() + seconds * 1000, lifetime: seconds * 1000 }),
  }
}
