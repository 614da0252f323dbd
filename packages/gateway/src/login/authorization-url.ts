import type { AuthorizationServer } from 'oauth4webapi'
import type { LoginClient } from './login-record.ts'

export interface AuthorizationRequest {
  server: AuthorizationServer
  client: LoginClient
  resource: string
  scopes: readonly string[]
  state: string
  /** The PKCE challenge, made with S256. */
  challenge: string
  params: Readonly<Record<string, string>> | undefined
}

/** The address that a person opens to log in. */
export function authorizationUrl(request: AuthorizationRequest): string {
  const { server, client, resource, scopes, state, challenge, params = {} } = request
  const url = new URL(server.authorization_endpoint ?? '')
  const set = (name: string, value: string) => url.searchParams.set(name, value)
  // OpenID Connect gives offline access only after a person has agreed again.
  if (scopes.includes('offline_access')) set('prompt', 'consent')
  for (const [name, value] of Object.entries(params)) set(name, value)
  // Last, so that no parameter from elsewhere can weaken them.
  set('response_type', 'code')
  set('client_id', client.id)
  set('redirect_uri', client.redirectUri)
  set('state', state)
  set('code_challenge', challenge)
  set('code_challenge_method', 'S256')
  set('resource', resource)
  if (scopes.length > 0) set('scope', scopes.join(' '))
  return url.href
}
