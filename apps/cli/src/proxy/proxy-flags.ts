import { type FlagDef, type FlagValues, FORMAT_FLAG } from '../command.ts'

/** The flags of `thv proxy`: where it listens, who may call it, and what it sends to the server behind it. */
export const PROXY_FLAGS = {
  targetUri: { type: 'text', value: 'url', summary: 'MCP endpoint of the server behind it (required)' },
  transport: {
    type: 'text',
    value: 'kind',
    summary: 'transport of the server (default: sse for an address that ends in /sse)',
    choices: ['sse', 'streamable-http'],
  },
  host: { type: 'text', value: 'address', summary: 'address to listen on', default: '127.0.0.1' },
  port: {
    type: 'number',
    value: 'port',
    summary: 'port to listen on; 0 picks a free one',
    default: 0,
    min: 0,
    max: 65_535,
  },
  allowHost: {
    type: 'list',
    value: 'name',
    summary: 'host name that callers may use besides localhost; may be repeated',
  },
  oidcIssuer: { type: 'text', value: 'url', summary: 'require a token from this issuer' },
  oidcAudience: {
    type: 'text',
    value: 'text',
    summary: 'audience that the token must name (default: the proxy’s address)',
  },
  oidcJwksUrl: { type: 'text', value: 'url', summary: 'address of the issuer’s keys (default: discovered)' },
  oidcIntrospectionUrl: {
    type: 'text',
    value: 'url',
    summary: 'introspection endpoint, for tokens that are not signed',
  },
  oidcClientId: { type: 'text', value: 'id', summary: 'client ID for introspection' },
  oidcClientSecret: {
    type: 'text',
    value: 'text',
    summary: 'its secret; others on this machine may see it, so prefer the file',
  },
  oidcClientSecretFile: { type: 'text', value: 'file', summary: 'file with the client secret' },
  oidcAllowPrivateIp: { type: 'boolean', summary: 'allow an issuer on a private address, and http' },
  resourceUrl: {
    type: 'text',
    value: 'url',
    summary: 'URL at which callers reach the proxy (default: its own address)',
  },
  targetHeader: { type: 'list', value: 'NAME=VALUE', summary: 'header sent to the server; may be repeated' },
  targetHeaderSecret: {
    type: 'list',
    value: 'NAME=SECRET',
    summary: 'header with a stored secret as its value; may be repeated',
  },
  targetBearerFile: { type: 'text', value: 'file', summary: 'file with a token for the server' },
  ...FORMAT_FLAG,
} as const satisfies Record<string, FlagDef>

export type ProxyFlags = FlagValues<typeof PROXY_FLAGS>
