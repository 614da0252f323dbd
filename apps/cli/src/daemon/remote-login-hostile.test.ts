import { execFile } from 'node:child_process'
import { createServer, type RequestListener } from 'node:http'
import { promisify } from 'node:util'
import { describe, expect, it, onTestFinished } from 'vitest'
import { discover } from '@toolhaven/gateway/login/discover'
import { loginFetch } from '@toolhaven/gateway/login/login-fetch'
import { createGuardedFetch } from '@toolhaven/stores/net/guarded-fetch'
import { browse } from '@toolhaven/testing/testbed/login-provider'
import { startLoginBed } from '../../test/support/remote-login.ts'

const LIMITS = { maxBytes: 64 * 1024, timeoutMs: 5_000 }

async function serve(answer: RequestListener): Promise<string> {
  const server = createServer(answer)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.closeAllConnections())
  onTestFinished(() => void server.close())
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('a TCP listener has a port')
  return `http://127.0.0.1:${address.port}`
}

function find(url: string, allowPrivate: boolean, resourceMetadata?: string) {
  const fetch = createGuardedFetch({ ...LIMITS, allowPrivate })
  onTestFinished(() => fetch[Symbol.asyncDispose]())
  const challenge = resourceMetadata === undefined ? {} : { resourceMetadata }
  return discover({ url: new URL(url), spec: {}, challenge, fetch, allowPrivate })
}

const json =
  (body: unknown): RequestListener =>
  (_request, response) =>
    void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))

describe('what a remote server says of its login', () => {
  it.each([
    'http://127.0.0.1:8443/metadata',
    'https://127.0.0.1:8443/metadata',
    'https://[::1]:8443/metadata',
    'https://[::ffff:10.0.0.1]/metadata',
    'https://169.254.169.254/latest/meta-data',
    'https://2130706433/metadata',
    'file:///etc/passwd',
    'javascript:alert(1)',
  ])('does not lead from a public server to %s', async (address) => {
    await expect(find('https://mcp.example.com/mcp', false, address)).rejects.toThrow(
      /must be an https address|is not a public address|in another notation/,
    )
  })

  it('does not lead from a private server to other private addresses, unless that is confirmed', async () => {
    await using bed = await startLoginBed()
    await expect(bed.connect({ allowPrivateIp: false })).rejects.toThrow(/a private address, .*accept_network: true/)
    expect(bed.provider.requests).toEqual([])
    expect(await bed.connect({ allowPrivateIp: true })).toContain(bed.provider.issuer)
  })

  it('is read at a private server itself, and where the user said, but not past a redirect', async () => {
    let asked = 0
    const other = await serve((_request, response) => {
      asked += 1
      response.end('{}')
    })
    const origin = await serve((request, response) => {
      if (request.url === '/away') response.writeHead(302, { location: other }).end()
      else response.end('{}')
    })
    const fetches = new Map([true, false].map((is) => [is, createGuardedFetch({ ...LIMITS, allowPrivate: is })]))
    onTestFinished(
      async () => void (await Promise.all([...fetches.values()].map((each) => each[Symbol.asyncDispose]()))),
    )
    const fetchFor = (allowPrivate: boolean) => fetches.get(allowPrivate) ?? fetch
    const options = { url: new URL(`${origin}/mcp`), fetchFor, ownAddresses: () => [] }
    const strict = loginFetch({ ...options, spec: {} })
    expect((await strict(`${origin}/description`)).status).toBe(200)
    await expect(strict(`${origin}/away`)).rejects.toThrow('not allowed here')
    await expect(strict(other)).rejects.toThrow('accept_network')
    expect(asked).toBe(0)
    expect((await loginFetch({ ...options, spec: { issuer: other } })(other)).status).toBe(200)
    expect((await loginFetch({ ...options, spec: { allowPrivateIp: true } })(`${origin}/away`)).status).toBe(200)
  })

  it('is not followed in a circle', async () => {
    let asked = 0
    const origin = await serve((request, response) => {
      asked += 1
      response.writeHead(302, { location: request.url ?? '/' }).end()
    })
    await expect(find(`${origin}/mcp`, true, `${origin}/metadata`)).rejects.toThrow('redirects more than 5 times')
    expect(asked).toBe(6)
  })

  it('is not read to the end when it is huge', async () => {
    const origin = await serve(json({ resource: 'x'.repeat(10_000_000) }))
    await expect(find(`${origin}/mcp`, true, `${origin}/metadata`)).rejects.toThrow('larger than 65536 bytes')
  })

  it('is about that server, or worth nothing', async () => {
    const origin = await serve(json({ resource: 'https://mail.example.com/mcp', authorization_servers: ['https://x'] }))
    await expect(find(`${origin}/mcp`, true, `${origin}/metadata`)).rejects.toThrow('about another server')
    const below = await serve(json({ resource: 'https://mail.example.com' }))
    await expect(find(`${below}/mcp`, true)).rejects.toThrow('about another server')
  })

  it.each([
    ['javascript:alert(1)', 'authorization endpoint'],
    ['file:///tmp/x', 'authorization endpoint'],
    ['https://user:word@example.com/', 'authorization endpoint'],
    ['http://login.example.com/', 'authorization endpoint'],
  ])('names no address to open like %s', async (endpoint, what) => {
    await expect(findServer({ authorization_endpoint: endpoint })).rejects.toThrow(`no usable ${what}`)
  })

  it('offers PKCE with S256, or is refused', async () => {
    await expect(findServer({ code_challenge_methods_supported: ['plain'] })).rejects.toThrow('PKCE')
    await expect(findServer({ code_challenge_methods_supported: undefined })).rejects.toThrow('PKCE')
    expect((await findServer({})).server.token_endpoint).toBe('https://login.example.com/token')
  })

  it('does not speak for another issuer', async () => {
    await expect(findServer({ issuer: 'https://login.example.com' })).rejects.toThrow(/issuer/)
  })
})

/** An authorization server with a path, whose description is where RFC 8414 has it. */
async function findServer(change: Record<string, unknown>) {
  const asked: string[] = []
  const origin = await serve((request, response) => {
    asked.push(request.url ?? '')
    const path = '/.well-known/oauth-authorization-server/tenant'
    if (request.url === '/.well-known/oauth-protected-resource/mcp')
      return json({ resource: `${origin}/mcp`, authorization_servers: [`${origin}/tenant`] })(request, response)
    if (request.url !== path) return void response.writeHead(404).end()
    const metadata = {
      issuer: `${origin}/tenant`,
      authorization_endpoint: 'https://login.example.com/authorize',
      token_endpoint: 'https://login.example.com/token',
      code_challenge_methods_supported: ['S256'],
      ...change,
    }
    return json(metadata)(request, response)
  })
  return find(`${origin}/mcp`, true)
}

describe('the callback of a login', () => {
  it('takes the answer of the right issuer only, and asks again after another', async () => {
    await using bed = await startLoginBed()
    const address = new URL((await bed.connect()) ?? '')
    const back = new URL(address.searchParams.get('redirect_uri') ?? '')
    const state = address.searchParams.get('state') ?? ''
    back.search = new URLSearchParams({ state, code: 'stolen', iss: 'https://evil.example' }).toString()
    expect(await browse(back.href)).toMatchObject({ status: 400, text: expect.stringContaining('The login failed') })
    expect(bed.said).toHaveLength(2)
    expect(bed.said[1]).not.toBe(address.href)
    expect(await bed.connect()).toBe(bed.said[1])
    expect(bed.provider.requests).not.toContain('POST /token')
  })

  it('tells the person what the provider said, harmlessly', async () => {
    await using bed = await startLoginBed()
    const address = new URL((await bed.connect()) ?? '')
    const back = new URL(address.searchParams.get('redirect_uri') ?? '')
    const state = address.searchParams.get('state') ?? ''
    const said = { error: 'access_denied', error_description: '<script>alert(1)</script>' }
    back.search = new URLSearchParams({ state, iss: bed.provider.issuer, ...said }).toString()
    const page = await browse(back.href)
    expect(page.status).toBe(400)
    expect(page.text).not.toContain('<script>')
  })

  it('is deaf to anything else', async () => {
    await using bed = await startLoginBed()
    const address = new URL((await bed.connect()) ?? '')
    const back = new URL(address.searchParams.get('redirect_uri') ?? '')
    expect(back.hostname).toBe('127.0.0.1')
    expect((await fetch(`${back.href}?state=guess&code=x`)).status).toBe(400)
    expect((await fetch(back, { method: 'POST' })).status).toBe(404)
    expect((await fetch(new URL('/', back))).status).toBe(404)
    back.hostname = 'localhost'
    expect((await fetch(`${back.href}?state=${address.searchParams.get('state')}`)).status).toBe(404)
    expect(bed.said).toHaveLength(1)
  })

  it('is not for other users of the machine, who can read its state in the list of processes', async (context) => {
    if (process.platform !== 'linux' || process.getuid?.() !== 0) context.skip('becoming another user needs root')
    await using bed = await startLoginBed()
    const address = new URL((await bed.connect()) ?? '')
    const back = new URL(address.searchParams.get('redirect_uri') ?? '')
    back.search = new URLSearchParams({ state: address.searchParams.get('state') ?? '', code: 'theirs' }).toString()
    const ask = 'process.stdout.write(String((await fetch(process.argv[1])).status))'
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', ask, back.href], {
      ...{ uid: 65_534, gid: 65_534, cwd: '/', env: {} },
    })
    expect(stdout).toBe('403')
    expect(bed.said).toEqual([address.href])
    expect(await browse(address.href)).toMatchObject({ status: 200 })
    expect(bed.said.at(-1)).toBe('done')
  })

  it('is closed once nobody is waited for', async () => {
    await using bed = await startLoginBed()
    const address = new URL((await bed.connect()) ?? '')
    await bed.test.gateway.close('fixture')
    await expect(fetch(address.searchParams.get('redirect_uri') ?? '')).rejects.toThrow()
  })
})
