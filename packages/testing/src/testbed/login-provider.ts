import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import { Provider, type Configuration } from 'oidc-provider'

export interface LoginProvider extends AsyncDisposable {
  issuer: string
  /** Method and path of the requests so far, oldest first. */
  requests: string[]
  /** How long access tokens live from now on. */
  setTokenSeconds: (seconds: number) => void
  /** Answers every request with 503, or works again. */
  setBroken: (isBroken: boolean) => void
  /** Whether a token is valid for the resource. */
  isGood: (token: string, resource: string) => Promise<boolean>
  /** The scopes that a token was issued for. */
  scopesOf: (token: string) => Promise<string[]>
  /** Addresses it fetched descriptions of clients from, oldest first. */
  fetched: string[]
  /** Forgets an access token before its time. The login stays. */
  drop: (accessToken: string) => Promise<void>
  /** Revokes a token of either kind, and with it the whole login. */
  revoke: (token: string, clientId: string) => Promise<void>
}

const RESOURCE_SERVER = { client_id: 'resource', client_secret: 'known to the resource server alone' }
export const CONFIDENTIAL_CLIENT = { id: 'toolhaven-test', secret: 'a secret: with % & + and = in it' } as const

export interface LoginProviderOptions {
  /** Descriptions of clients by their address. Default: clients cannot describe themselves. */
  documents?: Readonly<Record<string, object>>
}

/**
 * A real OpenID provider on the loopback where people log in. Every browser belongs to Ann, who agrees to everything.
 */
export async function startLoginProvider(options: LoginProviderOptions = {}): Promise<LoginProvider> {
  const requests: string[] = []
  const fetched: string[] = []
  const state = { isBroken: false, tokenSeconds: 3600 }
  let answer: RequestListener = (_request, response) => void response.writeHead(503).end()
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${(request.url ?? '').split('?')[0]}`)
    if (state.isBroken) response.writeHead(503).end()
    else answer(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('a TCP listener has a port')
  const issuer = `http://127.0.0.1:${address.port}`
  const provider = new Provider(
    issuer,
    configuration(() => state.tokenSeconds, documentsOf(options, fetched)),
  )
  const callback = provider.callback()
  answer = (request, response) => {
    if (request.url?.startsWith('/interaction/')) void agree(provider, request, response)
    else void callback(request, response)
  }
  const post = (path: string, form: Record<string, string>) =>
    fetch(`${issuer}${path}`, { method: 'POST', body: new URLSearchParams(form) })
  return {
    issuer,
    requests,
    fetched,
    setTokenSeconds: (seconds) => void (state.tokenSeconds = seconds),
    setBroken: (isBroken) => void (state.isBroken = isBroken),
    async isGood(token, resource) {
      const found = await provider.AccessToken.find(token)
      return found !== undefined && found.isValid && [found.aud].flat().includes(resource)
    },
    scopesOf: async (token) => [...((await provider.AccessToken.find(token))?.scopes ?? [])],
    async drop(accessToken) {
      const found = await provider.AccessToken.find(accessToken)
      if (found === undefined) throw new Error('there is no such token')
      await found.destroy()
    },
    async revoke(token, clientId) {
      const response = await post('/token/revocation', { token, client_id: clientId })
      if (!response.ok) throw new Error(`the token was not taken back: ${response.status}`)
    },
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** Nothing leaves the machine: a request for a document gets the test's. */
function documentsOf({ documents }: LoginProviderOptions, fetched: string[]): Configuration {
  if (documents === undefined) return {}
  return {
    features: { clientIdMetadataDocument: { enabled: true, ack: 'draft-02' } },
    fetch: async (input) => {
      const url = input instanceof Request ? input.url : String(input)
      fetched.push(url)
      return Object.hasOwn(documents, url) ? Response.json(documents[url]) : new Response('', { status: 404 })
    },
  }
}

function configuration(tokenSeconds: () => number, { features, ...more }: Configuration): Configuration {
  return {
    ...more,
    clients: [
      { ...RESOURCE_SERVER, redirect_uris: [], response_types: [], grant_types: [] },
      {
        client_id: CONFIDENTIAL_CLIENT.id,
        client_secret: CONFIDENTIAL_CLIENT.secret,
        application_type: 'native',
        grant_types: ['authorization_code', 'refresh_token'],
        redirect_uris: ['http://127.0.0.1/callback'],
      },
    ],
    scopes: ['openid', 'offline_access', 'mcp', 'mcp:write'],
    cookies: { keys: ['only for tests'] },
    interactions: { url: (_context, interaction) => `/interaction/${interaction.uid}` },
    findAccount: (_context, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
    // Each refresh token may be used once. A second use ends the whole grant.
    rotateRefreshToken: true,
    features: {
      ...features,
      devInteractions: { enabled: false },
      registration: { enabled: true },
      revocation: { enabled: true },
      resourceIndicators: {
        enabled: true,
        useGrantedResource: () => true,
        getResourceServerInfo: (_context, audience) => ({
          scope: 'mcp mcp:write',
          audience,
          accessTokenTTL: tokenSeconds(),
          accessTokenFormat: 'opaque',
        }),
      },
    },
  }
}

async function agree(provider: Provider, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { prompt, params, session, grantId } = await provider.interactionDetails(request, response)
  if (prompt.name === 'login') return provider.interactionFinished(request, response, { login: { accountId: 'ann' } })
  const known = grantId === undefined ? undefined : await provider.Grant.find(grantId)
  const grant = known ?? new provider.Grant({ accountId: session?.accountId, clientId: String(params['client_id']) })
  grant.addOIDCScope(String(params['scope']))
  if (params['resource'] !== undefined) grant.addResourceScope(String(params['resource']), String(params['scope']))
  const consent = { grantId: await grant.save() }
  await provider.interactionFinished(request, response, { consent }, { mergeWithLastSubmission: true })
}

/** Opens an address as a browser would and follows where it leads. Returns what the last page says. */
export async function browse(address: string): Promise<{ url: string; status: number; text: string }> {
  const jar = new Map<string, string>()
  let url = address
  for (let step = 0; step < 20; step += 1) {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await fetch(url, { redirect: 'manual', headers: { cookie } })
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (value === '') jar.delete(name)
      else jar.set(name, value)
    }
    const location = response.headers.get('location')
    if (location === null) return { url, status: response.status, text: await response.text() }
    await response.body?.cancel()
    url = new URL(location, url).href
  }
  throw new Error(`${address} leads nowhere`)
}
