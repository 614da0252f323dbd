import type { FlagDef } from '../command.ts'

export const DEFAULT_LOGIN_SECONDS = 300

/** How to log in to a remote server. Most servers announce all of this themselves. */
export const REMOTE_AUTH_FLAGS = {
  remoteAuthIssuer: {
    type: 'text',
    value: 'url',
    summary: 'where to log in at a remote server (default: the server says so)',
  },
  remoteAuthAuthorizeUrl: { type: 'text', value: 'url', summary: 'address to log in at, without an issuer' },
  remoteAuthTokenUrl: { type: 'text', value: 'url', summary: 'address that gives tokens, without an issuer' },
  remoteAuthClientId: {
    type: 'text',
    value: 'id',
    summary: 'client to log in as (default: Toolhaven registers itself)',
  },
  remoteAuthClientSecret: { type: 'text', value: 'name', summary: 'stored secret of that client', completes: 'secret' },
  remoteAuthScopes: { type: 'list', value: 'names', summary: 'what to ask for, separated by commas; may be repeated' },
  remoteAuthCallbackPort: {
    type: 'number',
    value: 'port',
    summary: 'port that the browser returns to (default: a free one)',
    min: 1,
    max: 65_535,
  },
  remoteAuthTimeout: {
    type: 'number',
    value: 'seconds',
    summary: 'how long to wait for the login',
    default: DEFAULT_LOGIN_SECONDS,
    min: 1,
    max: 86_400,
  },
  remoteAuthBrowser: { type: 'boolean', summary: 'open the login page in the browser' },
} as const satisfies Record<string, FlagDef>

/** Who may call the workload. */
export const OIDC_FLAGS = {
  oidcIssuer: { type: 'text', value: 'url', summary: 'require a token from this OpenID provider' },
  oidcAudience: { type: 'text', value: 'name', summary: 'audience that tokens must name (default: the workload)' },
  oidcJwksUrl: { type: 'text', value: 'url', summary: 'address of the provider’s keys (default: discovered)' },
  oidcIntrospectionUrl: {
    type: 'text',
    value: 'url',
    summary: 'introspection endpoint, for tokens that are not signed',
  },
  oidcClientId: { type: 'text', value: 'id', summary: 'client ID for introspection' },
  oidcClientSecret: { type: 'text', value: 'name', summary: 'stored secret of that client', completes: 'secret' },
  resourceUrl: { type: 'text', value: 'url', summary: 'URL at which clients reach the workload from outside' },
} as const satisfies Record<string, FlagDef>
