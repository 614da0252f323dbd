import { createServer, type RequestListener } from 'node:http'
import { Provider, type Configuration, type JWK } from 'oidc-provider'
import { z } from 'zod'

export interface IdentityProvider extends AsyncDisposable {
  issuer: string
  jwksUrl: string
  introspectionUrl: string
  /** Paths that were requested so far, oldest first. */
  requests: string[]
  /** An access token for the given audience. */
  token: (options: TokenOptions) => Promise<string>
  /** Revokes a token, as its owner would. */
  revoke: (token: string) => Promise<void>
  /** From now on it signs with new keys, and the old ones are gone. */
  rotate: () => Promise<void>
  /** Answers every request with 503, or works again. */
  setBroken: (isBroken: boolean) => void
}

export interface TokenOptions {
  audience: string
  /** How it is signed. `opaque` is a token without content. */
  kind?: TokenKind
  /** Which of two programs asks for it. */
  client?: 'one' | 'two'
  seconds?: number
}

export const TOKEN_KINDS = ['RS256', 'PS256', 'ES256', 'EdDSA', 'opaque'] as const
export type TokenKind = (typeof TOKEN_KINDS)[number]

/** Client of the provider that may introspect tokens. Its secret needs encoding, as a good one may. */
export const RESOURCE_SERVER = { id: 'resource server', secret: 'a secret: with % & + and = in it' } as const

/** A real OpenID provider on the loopback, with tokens for everyone who asks. */
export async function startIdentityProvider(): Promise<IdentityProvider> {
  const requests: string[] = []
  let isBroken = false
  let answer: RequestListener = (_request, response) => void response.writeHead(503).end()
  const server = createServer((request, response) => {
    requests.push(request.url ?? '')
    if (isBroken) response.writeHead(503).end()
    else answer(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('a TCP listener has a port')
  const issuer = `http://127.0.0.1:${address.port}`
  const rotate = async () => {
    answer = new Provider(issuer, await configuration()).callback()
  }
  await rotate()
  return {
    issuer,
    jwksUrl: `${issuer}/jwks`,
    introspectionUrl: `${issuer}/token/introspection`,
    requests,
    token: (options) => requestToken(issuer, options),
    async revoke(token) {
      const response = await post(`${issuer}/token/revocation`, 'one', { token })
      if (!response.ok) throw new Error(`the token was not taken back: ${response.status}`)
    },
    rotate,
    setBroken: (value) => void (isBroken = value),
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

const CLIENTS = ['one', 'two'] as const
const SECRET = 'not much of a secret'

async function configuration(): Promise<Configuration> {
  const common = { grant_types: ['client_credentials'], redirect_uris: [], response_types: [] }
  return {
    jwks: { keys: await Promise.all([keyOf('RSA'), keyOf('EC'), keyOf('OKP')]) },
    clients: [
      ...CLIENTS.map((id) => ({ ...common, client_id: id, client_secret: SECRET })),
      { ...common, client_id: RESOURCE_SERVER.id, client_secret: RESOURCE_SERVER.secret },
    ],
    enabledJWA: { clientAuthSigningAlgValues: ['RS256'] },
    scopes: TOKEN_KINDS.flatMap((kind) => [1, 2, 3600].map((seconds) => `${kind}-${seconds}`)),
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      introspection: { enabled: true },
      revocation: { enabled: true },
      resourceIndicators: {
        enabled: true,
        // What kind of token is wanted is said in the scope.
        getResourceServerInfo: (context, audience) => {
          const scope = String(context.oidc.params?.['scope'] ?? '')
          const [kind = '', seconds = ''] = scope.split('-')
          const common = { scope, audience, accessTokenTTL: Number(seconds) }
          if (kind === 'opaque') return { ...common, accessTokenFormat: 'opaque' }
          const alg = z.enum(['RS256', 'PS256', 'ES256', 'EdDSA']).parse(kind)
          return { ...common, accessTokenFormat: 'jwt', jwt: { sign: { alg } } }
        },
      },
    },
  }
}

const KEY_KINDS = {
  RSA: { name: 'RSASSA-PKCS1-v1_5', modulusLength: 2048, publicExponent: new Uint8Array([1, 0, 1]), hash: 'SHA-256' },
  EC: { name: 'ECDSA', namedCurve: 'P-256' },
  OKP: { name: 'Ed25519' },
} as const

async function keyOf(kind: keyof typeof KEY_KINDS): Promise<JWK> {
  const pair = await crypto.subtle.generateKey(KEY_KINDS[kind], true, ['sign', 'verify'])
  if (!('privateKey' in pair)) throw new Error('a key pair has a private key')
  const { alg: _alg, ext: _ext, key_ops: _operations, ...jwk } = await crypto.subtle.exportKey('jwk', pair.privateKey)
  return z.looseObject({ kty: z.enum(['RSA', 'EC', 'OKP']) }).parse({ ...jwk, use: 'sig' })
}

async function requestToken(issuer: string, options: TokenOptions): Promise<string> {
  const { audience, kind = 'RS256', client = 'one', seconds = 3600 } = options
  const form = { grant_type: 'client_credentials', resource: audience, scope: `${kind}-${seconds}` }
  const response = await post(`${issuer}/token`, client, form)
  const body: unknown = await response.json()
  if (!response.ok) throw new Error(`no token: ${JSON.stringify(body)}`)
  return z.object({ access_token: z.string() }).parse(body).access_token
}

function post(url: string, client: string, form: Record<string, string>): Promise<Response> {
  const credentials = Buffer.from(`${client}:${encodeURIComponent(SECRET)}`).toString('base64')
  return fetch(url, {
    method: 'POST',
    headers: { authorization: `Basic ${credentials}` },
    body: new URLSearchParams(form),
  })
}
