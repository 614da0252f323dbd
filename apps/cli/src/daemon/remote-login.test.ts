import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { connectClient, NAME } from '@toolhaven/gateway/testing/gateway'
import { freePort } from '@toolhaven/testing/free-port'
import { browse, CONFIDENTIAL_CLIENT } from '@toolhaven/testing/testbed/login-provider'
import { startLoginBed, type LoginBed } from '../../test/support/remote-login.ts'

async function logIn(bed: LoginBed, ...options: Parameters<LoginBed['connect']>): Promise<string> {
  const address = await bed.connect(...options)
  if (address === undefined) throw new Error('no login was asked for')
  expect(await browse(address)).toMatchObject({ status: 200, text: expect.stringContaining('You are logged in') })
  expect(bed.said.at(-1)).toBe('done')
  expect(await bed.connect(...options)).toBeUndefined()
  return address
}

const echo = async (bed: LoginBed) => (await connectClient(bed.test, 'v2 http')).call('echo', { text: 'hello' })
const asked = (bed: LoginBed, request: string) => bed.provider.requests.filter((path) => path === request).length

describe('a remote server that asks for a login', () => {
  it.each(['streamable-http', 'sse'] as const)('is used over %s once a person has logged in', async (transport) => {
    await using bed = await startLoginBed(transport)
    const address = new URL(await logIn(bed))
    expect(address.origin).toBe(bed.provider.issuer)
    expect(Object.fromEntries(address.searchParams)).toMatchObject({
      response_type: 'code',
      code_challenge_method: 'S256',
      resource: bed.server.url,
      scope: 'mcp offline_access',
      redirect_uri: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/callback$/),
    })
    expect(await echo(bed)).toContain('hello')
  })

  it('is asked once, however often it is connected to meanwhile', async () => {
    await using bed = await startLoginBed()
    const address = await bed.connect()
    expect(await bed.connect()).toBe(address)
    expect(asked(bed, 'POST /reg')).toBe(1)
    expect(bed.said).toEqual([address])
  })

  it('gives callers one clear error at once', async () => {
    await using bed = await startLoginBed()
    await bed.connect()
    const began = performance.now()
    await expect(echo(bed)).rejects.toThrow('needs a login before it can be used')
    // Far below the time that calls wait for a server that is only restarting.
    expect(performance.now() - began).toBeLessThan(9_000)
  })

  it('is logged in to with a configured client and its secret', async () => {
    await using bed = await startLoginBed()
    const { id: clientId, secret: clientSecret } = CONFIDENTIAL_CLIENT
    const callbackPort = await freePort()
    const address = new URL(await logIn(bed, { clientId, clientSecret, callbackPort, params: { ui_locales: 'de' } }))
    expect(address.searchParams.get('client_id')).toBe(clientId)
    expect(address.searchParams.get('ui_locales')).toBe('de')
    expect(address.searchParams.get('redirect_uri')).toBe(`http://127.0.0.1:${callbackPort}/callback`)
    expect(asked(bed, 'POST /reg')).toBe(0)
    expect(JSON.stringify(await bed.kept())).not.toContain('a secret')
  })

  it('is logged in to at a configured issuer, or at configured addresses, whatever it says itself', async () => {
    await using bed = await startLoginBed()
    bed.server.change({ metadata: { resource: 'https://example.com' } })
    const { issuer } = bed.provider
    await logIn(bed, { issuer, scopes: ['mcp', 'offline_access'] })
    const { id: clientId, secret: clientSecret } = CONFIDENTIAL_CLIENT
    const client = { clientId, clientSecret, scopes: ['mcp'] }
    await logIn(bed, { issuer, authorizeUrl: `${issuer}/auth`, tokenUrl: `${issuer}/token`, ...client })
  })

  it('that has a fixed Authorization header is not logged in to', async () => {
    await using bed = await startLoginBed()
    const headers = { Authorization: 'Bearer mine' }
    const backend = { kind: 'http', transport: 'streamable-http', url: bed.server.url, login: {}, headers } as const
    await expect(
      bed.test.gateway.connect(NAME, { ...backend, processId: 'p' }, new AbortController().signal),
    ).rejects.toThrow('status 401')
    expect(new Set(bed.server.seen)).toEqual(new Set(['Bearer mine']))
    expect(bed.said).toEqual([])
  })
})

describe('tokens', () => {
  it('are renewed before they end, once for all calls, and the new refresh token is kept', async () => {
    await using bed = await startLoginBed()
    bed.provider.setTokenSeconds(1)
    await logIn(bed)
    const before = await bed.kept()
    const client = await connectClient(bed.test, 'v2 http')
    await new Promise((resolve) => setTimeout(resolve, 1_100))
    bed.provider.setTokenSeconds(3600)
    const posts = asked(bed, 'POST /token')
    const refused = bed.server.seen.length
    await Promise.all(Array.from({ length: 10 }, () => client.call('echo', { text: 'x' })))
    expect(asked(bed, 'POST /token')).toBe(posts + 1)
    expect(new Set(bed.server.seen.slice(refused)).size).toBe(1)
    const after = await bed.kept()
    expect(after).toMatchObject({ tokens: { refresh: expect.any(String) } })
    expect(after).not.toEqual(before)
  })

  it('that the server refuses early are renewed once and the call goes through', async () => {
    await using bed = await startLoginBed()
    await logIn(bed)
    const client = await connectClient(bed.test, 'v2 http')
    const { access } = await keptOf(bed)
    await bed.provider.drop(access)
    expect(await client.call('echo', { text: 'again' })).toContain('again')
  })

  it('that were taken back make a new login needed, with one clear error for the call', async () => {
    await using bed = await startLoginBed()
    await logIn(bed)
    const client = await connectClient(bed.test, 'v2 http')
    const { access, refresh, clientId } = await keptOf(bed)
    await bed.provider.revoke(refresh, clientId)
    await bed.provider.drop(access).catch(() => undefined)
    await expect(client.call('echo', { text: 'x' })).rejects.toThrow('needs a login')
    await expect(client.call('echo', { text: 'x' })).rejects.toThrow('needs a login')
    const address = bed.said.at(-1) ?? ''
    expect(address).toContain('code_challenge=')
    expect(await browse(address)).toMatchObject({ status: 200 })
    expect(await bed.connect()).toBeUndefined()
    // The session of the client is still the one it had.
    expect(await client.call('echo', { text: 'back' })).toContain('back')
  })

  it('outlive the daemon and are nowhere in clear', async () => {
    await using bed = await startLoginBed()
    await logIn(bed)
    const { access, refresh } = await keptOf(bed)
    const folder = join(bed.stateDir, 'logins')
    for (const file of await readdir(folder)) {
      const text = await readFile(join(folder, file), 'utf8')
      for (const secret of [access, refresh]) expect(text).not.toContain(secret)
    }
    await bed.restart()
    expect(await bed.connect()).toBeUndefined()
    expect(asked(bed, 'GET /auth')).toBe(1)
  })

  it('are not sent to another server, and are gone with the workload', async () => {
    await using bed = await startLoginBed()
    await logIn(bed)
    const { access } = await keptOf(bed)
    await bed.restart()
    const seen = bed.server.seen.length
    // Another path is another resource: its server may be another's.
    await bed.connect({}, `${bed.server.url}/other`).catch(() => undefined)
    expect(bed.server.seen.slice(seen)).not.toContain(`Bearer ${access}`)
    await bed.test.gateway.forgetLogin(NAME)
    expect(await bed.kept()).toBeUndefined()
  })

  it('are not carried along when the server redirects to another origin', async () => {
    await using bed = await startLoginBed()
    await using other = await startLoginBed()
    await logIn(bed)
    bed.server.change({
      answer: (request, response) => {
        if (request.headers.authorization === undefined) return false
        response.writeHead(307, { location: other.server.url }).end()
        return true
      },
    })
    const backend = {
      kind: 'http',
      transport: 'streamable-http',
      url: bed.server.url,
      login: {},
      processId: 'p',
    } as const
    await expect(bed.test.gateway.connect(NAME, backend, AbortSignal.timeout(2_000))).rejects.toThrow('status 307')
    expect(other.server.seen).toEqual([])
  })

  it('stay in use while the provider does not answer, as long as they are good', async () => {
    await using bed = await startLoginBed()
    await logIn(bed)
    bed.provider.setBroken(true)
    expect(await echo(bed)).toContain('hello')
  })
})

async function keptOf(bed: LoginBed): Promise<{ access: string; refresh: string; clientId: string }> {
  const kept = await bed.kept()
  const text = (value: unknown, ...path: string[]): string =>
    path.length === 0 ? String(value) : text(Object(value)[path[0] ?? ''], ...path.slice(1))
  return {
    access: text(kept, 'tokens', 'access'),
    refresh: text(kept, 'tokens', 'refresh'),
    clientId: text(kept, 'client', 'id'),
  }
}
