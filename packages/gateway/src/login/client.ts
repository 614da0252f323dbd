import {
  allowInsecureRequests,
  ClientSecretBasic,
  ClientSecretPost,
  customFetch,
  dynamicClientRegistrationRequest,
  None,
  processDynamicClientRegistrationResponse,
  type AuthorizationServer,
  type ClientAuth,
} from 'oauth4webapi'
import type { LoginSpec } from '@toolhaven/core/ports/gateway'
import { describeError, unavailable } from '@toolhaven/core/errors'
import { endpointUrl, type LoginFetch } from './login-fetch.ts'
import type { LoginClient } from './login-record.ts'

export interface ClientOptions {
  server: AuthorizationServer
  spec: LoginSpec
  redirectUri: string
  scopes: readonly string[]
  fetch: LoginFetch
  allowPrivate: boolean
}

/**
 * The client that we are for an authorization server: configured, described by a document of our own, or newly
 * registered.
 */
export async function chooseClient(options: ClientOptions): Promise<LoginClient> {
  const { server, spec, redirectUri } = options
  const { clientId: id } = spec
  const common = { redirectUri, isRegistered: false }
  const isDocument = id !== undefined && /^https:\/\//i.test(id)
  if (id && !isDocument) return { ...common, id, authMethod: spec.clientSecret ? secretMethod(server) : 'none' }
  if (id && server['client_id_metadata_document_supported'] === true) return { ...common, id, authMethod: 'none' }
  if (server.registration_endpoint !== undefined) return register(options)
  throw unavailable(
    `its authorization server ${new URL(server.issuer).host} does not register clients. Give a client_id`,
  )
}

/** RFC 7591. */
async function register({ server, redirectUri, scopes, fetch, allowPrivate }: ClientOptions): Promise<LoginClient> {
  endpointUrl('registration endpoint', server.registration_endpoint, allowPrivate)
  try {
    const response = await dynamicClientRegistrationRequest(
      server,
      {
        client_name: 'Toolhaven',
        application_type: 'native',
        redirect_uris: [redirectUri],
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        token_endpoint_auth_method: 'none',
        ...(scopes.length > 0 && { scope: scopes.join(' ') }),
      },
      requestOptions(fetch, allowPrivate),
    )
    const made = await processDynamicClientRegistrationResponse(response)
    const secret = typeof made.client_secret === 'string' ? made.client_secret : undefined
    const authMethod = secret === undefined ? 'none' : methodOf(made.token_endpoint_auth_method, server)
    return { id: made.client_id, ...(secret !== undefined && { secret }), authMethod, isRegistered: true, redirectUri }
  } catch (error) {
    throw unavailable(`its authorization server refused to register Toolhaven: ${describeError(error)}`, error)
  }
}

function methodOf(asked: unknown, server: AuthorizationServer): LoginClient['authMethod'] {
  return asked === 'none' || asked === 'client_secret_basic' || asked === 'client_secret_post'
    ? asked
    : secretMethod(server)
}

/** RFC 8414: a server that does not say uses the header. */
function secretMethod(server: AuthorizationServer): LoginClient['authMethod'] {
  const offered = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
  const takesBodyOnly = offered.includes('client_secret_post') && !offered.includes('client_secret_basic')
  return takesBodyOnly ? 'client_secret_post' : 'client_secret_basic'
}

export function clientAuth(client: LoginClient, spec: LoginSpec): ClientAuth {
  const secret = client.isRegistered ? client.secret : spec.clientSecret
  if (client.authMethod === 'none' || secret === undefined) return None()
  return client.authMethod === 'client_secret_post' ? ClientSecretPost(secret) : ClientSecretBasic(secret)
}

/** The library's own https check is off only where our fetch checks each address. */
export function requestOptions(fetch: LoginFetch, allowPrivate: boolean) {
  return {
    [customFetch]: (
      url: string,
      init: { method: string; headers: Record<string, string>; body?: string | URLSearchParams | undefined },
    ) => {
      const { method, headers, body } = init
      return fetch(url, { method, headers, redirect: 'error', ...(body !== undefined && { body }) })
    },
    [allowInsecureRequests]: allowPrivate,
  }
}
