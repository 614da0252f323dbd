import { describe, expect, test } from 'vitest'
import { discover } from './discover.ts'

const ISSUER = 'https://login.example.com'

/** What a login asks for at a server and an issuer that list these scopes. */
async function askedFor({ resource, issuer }: { resource?: string[]; issuer?: string[] }, scopes?: string[]) {
  const documents: Record<string, object> = {
    '/.well-known/oauth-protected-resource/mcp': {
      resource: 'https://tools.example.com/mcp',
      authorization_servers: [ISSUER],
      scopes_supported: resource,
    },
    '/.well-known/oauth-authorization-server': {
      issuer: ISSUER,
      authorization_endpoint: `${ISSUER}/authorize`,
      token_endpoint: `${ISSUER}/token`,
      code_challenge_methods_supported: ['S256'],
      scopes_supported: issuer,
    },
  }
  const found = await discover({
    url: new URL('https://tools.example.com/mcp'),
    challenge: {},
    spec: { scopes },
    allowPrivate: false,
    fetch: async (url) => {
      const document = documents[new URL(url).pathname]
      return document === undefined ? new Response('', { status: 404 }) : Response.json(document)
    },
  })
  return found.scopes
}

describe('the scopes that a login asks for', () => {
  test('are those of the request', async () => {
    expect(await askedFor({ resource: ['mcp'], issuer: ['openid'] }, ['mine'])).toEqual(['mine'])
  })
  test('are else those of the server', async () => {
    expect(await askedFor({ resource: ['mcp'], issuer: ['openid'] })).toEqual(['mcp'])
  })
  test('are else the usual ones that the issuer lists', async () => {
    expect(await askedFor({ issuer: ['openid', 'email', 'other'] })).toEqual(['openid', 'email'])
    expect(await askedFor({ issuer: ['other'] })).toEqual([])
  })
  test('are the usual ones where the issuer lists none', async () => {
    expect(await askedFor({})).toEqual(['openid', 'profile', 'email'])
    expect(await askedFor({ issuer: [] })).toEqual(['openid', 'profile', 'email'])
  })
})
