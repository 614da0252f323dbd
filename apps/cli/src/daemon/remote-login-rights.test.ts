import { describe, expect, it } from 'vitest'
import { connectClient } from '@toolhaven/gateway/testing/gateway'
import { browse } from '@toolhaven/testing/testbed/login-provider'
import { startLoginBed, type LoginBed } from '../../test/support/remote-login.ts'

async function logIn(bed: LoginBed, ...options: Parameters<LoginBed['connect']>): Promise<URL> {
  const address = await bed.connect(...options)
  if (address === undefined) throw new Error('no login was asked for')
  expect(await browse(address)).toMatchObject({ status: 200, text: expect.stringContaining('You are logged in') })
  expect(await bed.connect(...options)).toBeUndefined()
  return new URL(address)
}

const DOCUMENT = 'https://client.example/toolhaven.json'
const DESCRIBED = {
  client_id: DOCUMENT,
  client_name: 'Toolhaven',
  application_type: 'native',
  redirect_uris: ['http://127.0.0.1/callback'],
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  token_endpoint_auth_method: 'none',
}
const registrations = ({ provider }: LoginBed) => provider.requests.filter((path) => path === 'POST /reg').length

describe('a client that describes itself at an address of its own', () => {
  it('is known by that address where the provider takes such, and does not register', async () => {
    await using bed = await startLoginBed('streamable-http', { documents: { [DOCUMENT]: DESCRIBED } })
    const address = await logIn(bed, { clientId: DOCUMENT })
    expect(address.searchParams.get('client_id')).toBe(DOCUMENT)
    expect(bed.provider.fetched).toEqual([DOCUMENT])
    expect(registrations(bed)).toBe(0)
    expect(await bed.kept()).toMatchObject({ client: { id: DOCUMENT, authMethod: 'none', isRegistered: false } })
  })

  it('registers where the provider does not', async () => {
    await using bed = await startLoginBed()
    const address = await logIn(bed, { clientId: DOCUMENT })
    expect(address.searchParams.get('client_id')).not.toBe(DOCUMENT)
    expect(registrations(bed)).toBe(1)
  })

  it('registers without such an address, though the provider would take one', async () => {
    await using bed = await startLoginBed('streamable-http', { documents: {} })
    await logIn(bed)
    expect(bed.provider.fetched).toEqual([])
    expect(registrations(bed)).toBe(1)
  })
})

describe('a server that wants more rights than the login has', () => {
  const WIDER = 'mcp mcp:write'

  it.each(['streamable-http', 'sse'] as const)('gets them over %s once a person agreed', async (transport) => {
    await using bed = await startLoginBed(transport)
    await logIn(bed)
    const client = await connectClient(bed.test, 'v1 http')
    const before = await bed.kept()
    bed.server.change({ scope: WIDER })
    await expect(client.call('echo', { text: 'x' })).rejects.toThrow('needs a login with more rights')
    const address = new URL(bed.said.at(-1) ?? '')
    expect(address.searchParams.get('scope')?.split(' ').toSorted()).toEqual(['mcp', 'mcp:write', 'offline_access'])
    // Asked once, however often it is refused; and what there is stays.
    await expect(client.call('echo', { text: 'x' })).rejects.toThrow('needs a login with more rights')
    expect(bed.said.filter((said) => said !== 'done')).toHaveLength(2)
    expect(await bed.kept()).toEqual(before)

    expect(await browse(address.href)).toMatchObject({ status: 200, text: expect.stringContaining('logged in') })
    expect(bed.said.at(-1)).toBe('done')
    expect(await bed.connect()).toBeUndefined()
    expect(await client.call('echo', { text: 'more' })).toContain('more')
  })

  it('goes on with what the login is good for meanwhile, after a restart too', async () => {
    await using bed = await startLoginBed()
    await logIn(bed)
    const client = await connectClient(bed.test, 'v1 http')
    bed.server.change({ scope: WIDER })
    await expect(client.call('echo', { text: 'x' })).rejects.toThrow('more rights')
    bed.server.change({})
    expect(await client.call('echo', { text: 'as before' })).toContain('as before')
    await bed.restart()
    expect(await bed.connect()).toBeUndefined()
  })

  it('cannot be used when it wants them for everything, and says so', async () => {
    await using bed = await startLoginBed()
    await logIn(bed)
    bed.server.change({ scope: WIDER })
    const address = await bed.connect()
    expect(address).toContain(encodeURIComponent('mcp:write'))
    expect(await bed.connect()).toBe(address)
  })

  it('is not asked again when it refuses what it was given', async () => {
    await using bed = await startLoginBed()
    await logIn(bed)
    const client = await connectClient(bed.test, 'v1 http')
    const forbid = (scope: string) => ({
      answer: (
        ...[request, response]: Parameters<NonNullable<Parameters<LoginBed['server']['change']>[0]['answer']>>
      ) => {
        if (request.method !== 'POST') return false
        request.resume()
        response.writeHead(403, { 'www-authenticate': `Bearer error="insufficient_scope", scope="${scope}"` }).end()
        return true
      },
    })
    const asked = bed.said.length
    bed.server.change(forbid('mcp'))
    await expect(client.call('echo', { text: 'x' })).rejects.toThrow('status 403')
    bed.server.change(forbid(''))
    await expect(client.call('echo', { text: 'x' })).rejects.toThrow('status 403')
    expect(bed.said).toHaveLength(asked)
  })

  it('gets no more than the configuration says, and the error names what is missing', async () => {
    await using bed = await startLoginBed()
    const login = { scopes: ['mcp', 'offline_access'] }
    await logIn(bed, login)
    const client = await connectClient(bed.test, 'v1 http')
    const asked = bed.said.length
    bed.server.change({ scope: WIDER })
    await expect(client.call('echo', { text: 'x' })).rejects.toThrow('leaves out: "mcp:write"')
    expect(bed.said).toHaveLength(asked)
  })
})
