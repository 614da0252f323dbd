import { createHash } from 'node:crypto'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import type { AuthenticationSpec } from '@toolhaven/core/ports/gateway'
import {
  RESOURCE_SERVER,
  startIdentityProvider,
  TOKEN_KINDS,
  type IdentityProvider,
} from '@toolhaven/testing/testbed/identity-provider'
import { base64url, decodeJwt, SignJWT, UnsecuredJWT, type JWTPayload } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { TokenTimes } from '../src/oidc/token-check.ts'
import { memoryStore, startGateway, type TestGateway } from './support/gateway.ts'

let provider: IdentityProvider
beforeAll(async () => {
  provider = await startIdentityProvider()
})
afterAll(() => provider[Symbol.asyncDispose]())

const AUDIENCE = 'https://mcp.example.com/time'

async function open(
  spec: AuthenticationSpec = {},
  tokenTimes: Partial<TokenTimes> = {},
  options: Parameters<typeof startGateway>[0] = {},
): Promise<TestGateway & { asked: boolean[] }> {
  const asked: boolean[] = []
  const identityFetch = (allowPrivate: boolean) => {
    asked.push(allowPrivate)
    return fetch
  }
  const test = await startGateway({ identityFetch, tokenTimes: { skewMs: 0, ...tokenTimes }, ...options })
  await test.open({ authentication: { issuer: provider.issuer, audience: AUDIENCE, ...spec } })
  await test.run()
  return { ...test, asked, [Symbol.asyncDispose]: () => test[Symbol.asyncDispose]() }
}

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-03-26', capabilities: {}, clientInfo: { name: 't', version: '1' } },
}

interface Asked {
  token?: string | undefined
  method?: string
  body?: unknown
  headers?: Record<string, string>
}

function ask(
  test: TestGateway,
  path: string,
  { token, method = 'POST', body, headers }: Asked = {},
): Promise<Response> {
  return fetch(`${test.origin}${path}`, {
    method,
    headers: {
      accept: 'application/json, text/event-stream',
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
}

const initialize = (test: TestGateway, token?: string) => ask(test, '/mcp', { token, body: INITIALIZE })

async function refusal(test: TestGateway, token: string) {
  const response = await initialize(test, token)
  await response.body?.cancel()
  return [response.status, /error_description="([^"]*)"/.exec(response.headers.get('www-authenticate') ?? '')?.[1]]
}

describe('with a token', () => {
  it.each(TOKEN_KINDS)('of the kind %s its bearer uses the server', async (kind) => {
    const { id: clientId, secret: clientSecret } = RESOURCE_SERVER
    await using test = await open({ introspectionUrl: provider.introspectionUrl, clientId, clientSecret })
    const headers = { authorization: `Bearer ${await provider.token({ audience: AUDIENCE, kind })}` }
    for (const Transport of [StreamableHTTPClientTransport, SSEClientTransport]) {
      const client = new Client({ name: 't', version: '1' })
      const path = Transport === SSEClientTransport ? '/sse' : '/mcp'
      await client.connect(new Transport(new URL(`${test.origin}${path}`), { requestInit: { headers } }))
      expect(await client.callTool({ name: 'echo', arguments: { text: kind } })).toMatchObject({
        content: [{ text: kind }],
      })
      await client.close()
    }
  })

  it('the scheme may be written in any case, the token in no other place', async () => {
    await using test = await open()
    const token = await provider.token({ audience: AUDIENCE })
    const spelled = await ask(test, '/mcp', { body: INITIALIZE, headers: { authorization: `bEARER  ${token}` } })
    expect(spelled.status).toBe(200)
    expect((await ask(test, `/mcp?access_token=${token}`, { body: INITIALIZE })).status).toBe(401)
    expect((await ask(test, '/mcp', { body: INITIALIZE, headers: { authorization: `Basic ${token}` } })).status).toBe(
      401,
    )
  })

  it('checked once, it is not checked again, and nothing is asked of the provider', async () => {
    await using test = await open()
    const token = await provider.token({ audience: AUDIENCE })
    expect((await initialize(test, token)).status).toBe(200)
    provider.setBroken(true)
    try {
      expect((await initialize(test, token)).status).toBe(200)
    } finally {
      provider.setBroken(false)
    }
  })

  it('for the address of the server it is good where no audience is configured', async () => {
    await using test = await startGateway({ identityFetch: () => fetch })
    await test.open({ authentication: { issuer: provider.issuer } })
    await test.run()
    for (const audience of [test.origin, `${test.origin}/`])
      expect((await initialize(test, await provider.token({ audience }))).status).toBe(200)
    expect(await refusal(test, await provider.token({ audience: AUDIENCE }))).toEqual([
      401,
      'the token is for another audience',
    ])
  })
})

describe('is refused', () => {
  it('a token for another audience, from another issuer, or at its end', async () => {
    await using other = await startIdentityProvider()
    await using test = await open()
    expect(await refusal(test, await provider.token({ audience: 'https://other.example.com/' }))).toEqual([
      401,
      'the token is for another audience',
    ])
    const short = await provider.token({ audience: AUDIENCE, seconds: 1 })
    await expect.poll(() => refusal(test, short), { timeout: 20_000 }).toEqual([401, 'the token has expired'])
    await using foreign = await open({ jwksUrl: other.jwksUrl })
    expect(await refusal(foreign, await other.token({ audience: AUDIENCE }))).toEqual([
      401,
      'the token is from another issuer',
    ])
  })

  it('a token that was good until it ended, while clocks may differ a little', async () => {
    await using strict = await open()
    await using lenient = await open({}, { skewMs: 3_600_000 })
    const token = await provider.token({ audience: AUDIENCE, seconds: 2 })
    expect((await initialize(strict, token)).status).toBe(200)
    await expect.poll(() => refusal(strict, token), { timeout: 20_000 }).toEqual([401, 'the token has expired'])
    expect((await initialize(lenient, token)).status).toBe(200)
  })

  it('a token that nobody signed, or that was signed with a public key as a secret, or changed', async () => {
    await using test = await open()
    const good = await provider.token({ audience: AUDIENCE })
    const claims = decodeJwt(good)
    const [header = '', payload = '', signature = ''] = good.split('.')
    const keys: { keys: Record<string, string>[] } = await (await fetch(provider.jwksUrl)).json()
    const rsa = keys.keys.find(({ kty }) => kty === 'RSA')
    const spki = await crypto.subtle.importKey('jwk', rsa ?? {}, { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' }, true, [
      'verify',
    ])
    const pem = `-----BEGIN PUBLIC KEY-----\n${Buffer.from(await crypto.subtle.exportKey('spki', spki)).toString('base64')}\n-----END PUBLIC KEY-----\n`
    const hmac = (secret: string) =>
      new SignJWT(claims).setProtectedHeader({ alg: 'HS256', kid: rsa?.['kid'] ?? '' }).sign(Buffer.from(secret))
    const admin: JWTPayload = { ...claims, sub: 'admin' }
    for (const token of [
      new UnsecuredJWT(claims).encode(),
      `${base64url.encode('{"alg":"None"}')}.${payload}.`,
      await hmac(pem),
      await hmac(JSON.stringify(rsa)),
      `${header}.${base64url.encode(JSON.stringify(admin))}.${signature}`,
      `${header}.${payload}.`,
      createHash('sha256').update('x').digest('hex'),
      'a.b.c',
    ]) {
      const [status] = await refusal(test, token)
      expect(status, token).toBe(401)
    }
    expect((await initialize(test, good)).status).toBe(200)
  })

  it('a token that the provider does not know, or that was taken back, when it is asked', async () => {
    const { id: clientId, secret: clientSecret } = RESOURCE_SERVER
    const spec = { introspectionUrl: provider.introspectionUrl, clientId, clientSecret }
    await using test = await open(spec, { introspectedMs: 0 })
    expect(await refusal(test, 'unknown')).toEqual([401, 'the token is not active'])
    const before = provider.requests.length
    expect(await refusal(test, 'unknown')).toEqual([401, 'the token is not active'])
    expect(provider.requests.length).toBe(before)
    const token = await provider.token({ audience: AUDIENCE, kind: 'opaque' })
    expect((await initialize(test, token)).status).toBe(200)
    await provider.revoke(token)
    expect(await refusal(test, token)).toEqual([401, 'the token is not active'])
    const other = await provider.token({ audience: 'https://other.example.com/', kind: 'opaque' })
    expect(await refusal(test, other)).toEqual([401, 'the token is for another audience'])
  })

  it('every path and method without a token, with the way to get one', async () => {
    await using test = await open()
    const batch = [INITIALIZE, { jsonrpc: '2.0', id: 2, method: 'tools/list' }]
    const tries: [string, string, unknown?][] = [
      ...['GET', 'DELETE', 'PUT', 'PATCH', 'OPTIONS', 'HEAD'].map((method): [string, string] => [method, '/mcp']),
      ['POST', '/mcp', INITIALIZE],
      ['POST', '/mcp', batch],
      ['POST', '/mcp/', INITIALIZE],
      ['POST', '/MCP', INITIALIZE],
      ['POST', '//mcp', INITIALIZE],
      ['POST', '/health/../mcp', INITIALIZE],
      ['POST', '/mcp?x=/health', INITIALIZE],
      ['POST', '/.well-known/oauth-protected-resource', INITIALIZE],
      ['GET', '/sse'],
      ['POST', '/messages?sessionId=x', INITIALIZE],
      ['GET', '/metrics'],
      ['GET', '/'],
    ]
    for (const [method, path, body] of tries) {
      const response = await ask(test, path, { method, body })
      expect(response.status, `${method} ${path}`).toBe(401)
      expect(response.headers.get('www-authenticate')).toBe(
        `Bearer resource_metadata="${test.origin}/.well-known/oauth-protected-resource"`,
      )
      await response.body?.cancel()
    }
    expect((await ask(test, '/health', { method: 'GET' })).status).toBe(200)
  })
})

it('tells clients where tokens come from', async () => {
  await using test = await open()
  for (const path of ['', '/mcp', '/sse']) {
    const response = await ask(test, `/.well-known/oauth-protected-resource${path}`, { method: 'GET' })
    expect(response.headers.get('content-type')).toBe('application/json')
    expect(await response.json()).toEqual({
      resource: test.origin,
      authorization_servers: [provider.issuer],
      bearer_methods_supported: ['header'],
    })
  }
  await using named = await open({ resourceUrl: 'https://mcp.example.com/time/mcp' })
  const refused = await initialize(named)
  expect(refused.headers.get('www-authenticate')).toContain(
    '"https://mcp.example.com/.well-known/oauth-protected-resource/time/mcp"',
  )
  const metadata = await ask(named, '/.well-known/oauth-protected-resource/time/mcp', { method: 'GET' })
  expect(await metadata.json()).toMatchObject({ resource: 'https://mcp.example.com/time/mcp' })
  await using open2 = await startGateway()
  await open2.open()
  expect((await ask(open2, '/.well-known/oauth-protected-resource', { method: 'GET' })).status).toBe(404)
})

describe('keys', () => {
  it('that are new are found with one request', async () => {
    await using rotating = await startIdentityProvider()
    await using test = await open({ issuer: rotating.issuer }, { keyCooldownMs: 0 })
    const asked = () => rotating.requests.filter((path) => path === '/jwks').length
    expect((await initialize(test, await rotating.token({ audience: AUDIENCE }))).status).toBe(200)
    expect((await initialize(test, await rotating.token({ audience: AUDIENCE }))).status).toBe(200)
    expect(asked()).toBe(1)
    await rotating.rotate()
    expect((await initialize(test, await rotating.token({ audience: AUDIENCE }))).status).toBe(200)
    expect(asked()).toBe(2)
  })

  it('that are unknown do not make a request each', async () => {
    await using foreign = await startIdentityProvider()
    await using test = await open({}, { keyCooldownMs: 600_000 })
    const asked = () => provider.requests.filter((path) => path === '/jwks').length
    const before = asked()
    for (let i = 0; i < 5; i++)
      expect(await refusal(test, await foreign.token({ audience: AUDIENCE }))).toEqual([
        401,
        'the token is signed with a key that the issuer does not have',
      ])
    expect(asked()).toBe(before + 1)
  })

  it('that cannot be had make the server unavailable, not open', async () => {
    await using broken = await startIdentityProvider()
    broken.setBroken(true)
    await using patient = await open({ issuer: broken.issuer }, { keyCooldownMs: 600_000 })
    await using eager = await open({ issuer: broken.issuer }, { keyCooldownMs: 0 })
    const token = await provider.token({ audience: AUDIENCE })
    expect((await initialize(eager, token)).status).toBe(503)
    const before = broken.requests.length
    for (let i = 0; i < 5; i++) expect((await initialize(patient, token)).status).toBe(503)
    // Both places where the metadata may be, once.
    expect(broken.requests.length).toBe(before + 2)
    broken.setBroken(false)
    expect((await initialize(eager, await broken.token({ audience: AUDIENCE }))).status).toBe(200)
  })

  it('of an issuer whose metadata names another one are not used', async () => {
    const liar: typeof fetch = async (input) =>
      Response.json({ issuer: provider.issuer, jwks_uri: provider.jwksUrl, url: String(input) })
    await using test = await open({ issuer: 'https://id.example.com' }, {}, { identityFetch: () => liar })
    expect((await initialize(test, await provider.token({ audience: AUDIENCE }))).status).toBe(503)
  })

  it('are fetched from private addresses only where that is configured', async () => {
    await using strict = await open()
    await using lenient = await open({ allowPrivateIp: true })
    expect([strict.asked, lenient.asked]).toEqual([[false], [true]])
  })
})

describe('a session', () => {
  it('belongs to who opened it, also after a restart', async () => {
    const sessionStore = memoryStore()
    await using test = await open({}, {}, { sessionStore })
    const [mine, again, theirs] = await Promise.all([
      provider.token({ audience: AUDIENCE }),
      provider.token({ audience: AUDIENCE }),
      provider.token({ audience: AUDIENCE, client: 'two' }),
    ])
    const id = (await initialize(test, mine)).headers.get('mcp-session-id') ?? ''
    const headers = { 'mcp-session-id': id }
    const body = { jsonrpc: '2.0', id: 2, method: 'tools/list' }
    const status = async (token: string, method = 'POST') => {
      const response = await ask(test, '/mcp', { token, method, headers, ...(method === 'POST' && { body }) })
      await response.body?.cancel()
      return response.status
    }
    expect(await status(mine)).toBe(200)
    expect(await status(again)).toBe(200)
    for (const method of ['POST', 'GET', 'DELETE']) expect(await status(theirs, method)).toBe(404)
    await test.gateway.shutdown(1000)
    await test.open({ authentication: { issuer: provider.issuer, audience: AUDIENCE } })
    await test.run()
    expect(await status(theirs)).toBe(404)
    expect(await status(mine)).toBe(200)
  })

  it('has streams that end with the token', async () => {
    await using test = await open()
    const token = await provider.token({ audience: AUDIENCE, seconds: 2 })
    const response = await initialize(test, token)
    const headers = { 'mcp-session-id': response.headers.get('mcp-session-id') ?? '' }
    const streams = await Promise.all([
      ask(test, '/mcp', { method: 'GET', token, headers }),
      ask(test, '/sse', { method: 'GET', token }),
    ])
    for (const stream of streams) {
      expect(stream.status).toBe(200)
      await stream.text()
    }
    expect(Date.now()).toBeGreaterThanOrEqual((decodeJwt(token).exp ?? Infinity) * 1000 - 50)
  })

  it('opened before callers had to say who they are ends with that', async () => {
    await using test = await startGateway({ identityFetch: () => fetch })
    await test.open()
    await test.run()
    const headers = { 'mcp-session-id': (await initialize(test)).headers.get('mcp-session-id') ?? '' }
    const body = { jsonrpc: '2.0', id: 2, method: 'tools/list' }
    expect((await ask(test, '/mcp', { headers, body })).status).toBe(200)
    await test.open({ authentication: { issuer: provider.issuer, audience: AUDIENCE } })
    expect((await ask(test, '/mcp', { headers, body })).status).toBe(401)
    const token = await provider.token({ audience: AUDIENCE })
    expect((await ask(test, '/mcp', { headers, body, token })).status).toBe(404)
  })
})
