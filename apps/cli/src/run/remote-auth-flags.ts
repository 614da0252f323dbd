import type { FlagDef } from '../command.ts'

export const DEFAULT_LOGIN_SECONDS = 300

/** How to log in at a remote server; mostly the server says it all by itself. */
export const REMOTE_AUTH_FLAGS = {
  remoteAuthIssuer: { type: 'text', value: 'url', summary: 'where to log in at a remote server; left out: it says so' },
  remoteAuthAuthorizeUrl: { type: 'text', value: 'url', summary: 'address to log in at, without an issuer' },
  remoteAuthTokenUrl: { type: 'text', value: 'url', summary: 'address that gives tokens, without an issuer' },
  remoteAuthClientId: {
    type: 'text',
    value: 'id',
    summary: 'client to log in as; left out: Toolhaven registers itself',
  },
  remoteAuthClientSecret: { type: 'text', value: 'name', summary: 'stored secret of that client', completes: 'secret' },
  remoteAuthScopes: { type: 'list', value: 'names', summary: 'what to ask for, with commas between; may be repeated' },
  remoteAuthCallbackPort: {
    type: 'number',
    value: 'port',
    summary: 'port the browser comes back to; left out: a free one',
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
  remoteAuthBrowser: { type: 'boolean', summary: 'open the address to log in at in the browser' },
} as const satisfies Record<string, FlagDef>

/** Who may call the workload. */
export const OIDC_FLAGS = {
  oidcIssuer: { type: 'text', value: 'url', summary: 'callers need a token of this OpenID provider' },
  oidcAudience: { type: 'text', value: 'name', summary: 'whom tokens must be for; left out: the workload' },
  oidcJwksUrl: { type: 'text', value: 'url', summary: 'where the provider’s keys are; left out: it says so' },
  oidcIntrospectionUrl: { type: 'text', value: 'url', summary: 'where to ask about tokens that are not signed' },
  oidcClientId: { type: 'text', value: 'id', summary: 'client that asks there' },
  oidcClientSecret: { type: 'text', value: 'name', summary: 'stored secret of that client', completes: 'secret' },
  resourceUrl: { type: 'text', value: 'url', summary: 'how clients call the workload from outside' },
} as const satisfies Record<string, FlagDef>
