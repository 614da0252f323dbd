import { type FlagDef, type FlagValues, FORMAT_FLAG } from '../command.ts'

/** What `thv proxy` takes: where it listens, whom it lets in, and what it says to the server behind. */
export const PROXY_FLAGS = {
  targetUri: { type: 'text', value: 'url', summary: 'MCP endpoint of the server behind; required' },
  transport: {
    type: 'text',
    value: 'kind',
    summary: 'how the server speaks; left out: sse for an address that ends in /sse',
    choices: ['sse', 'streamable-http'],
  },
  host: { type: 'text', value: 'address', summary: 'address to listen on', default: '127.0.0.1' },
  port: { type: 'number', value: 'port', summary: 'port to listen on; 0: a free one', default: 0, min: 0, max: 65_535 },
  allowHost: {
    type: 'list',
    value: 'name',
    summary: 'name callers may use besides localhost; may be repeated',
  },
  oidcIssuer: { type: 'text', value: 'url', summary: 'callers need a token of this issuer' },
  oidcAudience: { type: 'text', value: 'text', summary: 'whom the token must be for; left out: the proxy’s address' },
  oidcJwksUrl: { type: 'text', value: 'url', summary: 'where the issuer’s keys are; left out: found by discovery' },
  oidcIntrospectionUrl: { type: 'text', value: 'url', summary: 'where to ask about tokens that are not signed' },
  oidcClientId: { type: 'text', value: 'id', summary: 'who asks there' },
  oidcClientSecret: {
    type: 'text',
    value: 'text',
    summary: 'its secret; others on this machine may see it: prefer the file',
  },
  oidcClientSecretFile: { type: 'text', value: 'file', summary: 'file with that secret' },
  oidcAllowPrivateIp: { type: 'boolean', summary: 'the issuer may be on a private address, and use http' },
  resourceUrl: { type: 'text', value: 'url', summary: 'how callers reach the proxy, if not at its own address' },
  targetHeader: { type: 'list', value: 'NAME=VALUE', summary: 'header sent to the server; may be repeated' },
  targetHeaderSecret: {
    type: 'list',
    value: 'NAME=SECRET',
    summary: 'header whose value is a stored secret; may be repeated',
  },
  targetBearerFile: { type: 'text', value: 'file', summary: 'file with a token that is sent to the server' },
  ...FORMAT_FLAG,
} as const satisfies Record<string, FlagDef>

export type ProxyFlags = FlagValues<typeof PROXY_FLAGS>
