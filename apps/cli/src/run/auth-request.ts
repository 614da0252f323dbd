import type { FlagValues } from '../command.ts'
import type { OIDC_FLAGS, REMOTE_AUTH_FLAGS } from './remote-auth-flags.ts'

type AuthFlags = FlagValues<typeof REMOTE_AUTH_FLAGS> & FlagValues<typeof OIDC_FLAGS>
type Fields = Readonly<Record<string, unknown>>

/** The request fields for logging in to a remote server, and for the tokens of callers. */
export function authFieldsOf(flags: AuthFlags): { oauth_config: Fields; oidc: Fields } {
  const scopes = flags.remoteAuthScopes
    .flatMap((names) => names.split(','))
    .map((scope) => scope.trim())
    .filter((scope) => scope !== '')
  return {
    oauth_config: given({
      issuer: flags.remoteAuthIssuer,
      authorize_url: flags.remoteAuthAuthorizeUrl,
      token_url: flags.remoteAuthTokenUrl,
      client_id: flags.remoteAuthClientId,
      client_secret: flags.remoteAuthClientSecret,
      scopes: scopes.length > 0 ? scopes : undefined,
      callback_port: flags.remoteAuthCallbackPort,
    }),
    oidc: given({
      issuer: flags.oidcIssuer,
      audience: flags.oidcAudience,
      jwks_url: flags.oidcJwksUrl,
      introspection_url: flags.oidcIntrospectionUrl,
      client_id: flags.oidcClientId,
      client_secret: flags.oidcClientSecret,
      resource_url: flags.resourceUrl,
    }),
  }
}

const given = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
