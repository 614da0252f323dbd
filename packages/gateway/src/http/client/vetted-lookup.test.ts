import { expect, it } from 'vitest'
import { checkHost, vettedLookup } from './vetted-lookup.ts'

function look(addresses: { address: string; family: number }[], all: boolean, publicOnly = false): Promise<unknown> {
  const lookup = vettedLookup({ publicOnly, resolve: (_host, _options, callback) => callback(null, addresses) })
  return new Promise((resolve, reject) => {
    lookup('mcp.example.com', { all }, (error, found) => (error === null ? resolve(found) : reject(error)))
  })
}

it('a name never leads to link-local or reserved addresses', async () => {
  const good = { address: '203.0.114.1', family: 4 }
  const near = { address: '127.0.0.1', family: 4 }
  const metadata = { address: '169.254.169.254', family: 4 }
  expect(await look([metadata, good, near], true)).toEqual([good, near])
  expect(await look([metadata, good], false)).toBe('203.0.114.1')
  await expect(look([metadata, { address: 'fe80::1', family: 6 }], true)).rejects.toThrow('no MCP server can be')
})

it('a name that somebody else chose leads to public addresses only', async () => {
  const good = { address: '203.0.114.1', family: 4 }
  const near = { address: '127.0.0.1', family: 4 }
  expect(await look([near, good], true, true)).toEqual([good])
  await expect(look([near], true, true)).rejects.toThrow('accept_network')
  for (const url of ['http://127.0.0.1/', 'http://[::1]/', 'http://localhost/', 'http://10.0.0.1/'])
    expect(() => checkHost(new URL(url), { publicOnly: true })).toThrow('accept_network')
  expect(() => checkHost(new URL('https://mcp.example.com/'), { publicOnly: true })).not.toThrow()
})

it('public addresses of this machine and its neighbours are private for a name that somebody else chose', async () => {
  const own = { address: '198.51.44.7', family: 4 }
  const neighbour = { address: '198.51.44.9', family: 4 }
  const far = { address: '203.0.114.1', family: 4 }
  const ownAddresses = () => ['198.51.44.7/24']
  const ask = (publicOnly: boolean) =>
    new Promise((resolve, reject) => {
      const vetting = { publicOnly, ownAddresses }
      const lookup = vettedLookup({ ...vetting, resolve: (_host, _options, done) => done(null, [own, neighbour, far]) })
      lookup('mcp.example.com', { all: true }, (error, found) => (error === null ? resolve(found) : reject(error)))
    })
  expect(await ask(true)).toEqual([far])
  expect(await ask(false)).toEqual([own, neighbour, far])
  const named = new URL('https://198.51.44.9/')
  expect(() => checkHost(named, { publicOnly: true, ownAddresses })).toThrow('accept_network')
  expect(() => checkHost(named, { publicOnly: false, ownAddresses })).not.toThrow()
})

it.each([
  'http://169.254.169.254/mcp',
  'http://[fe80::1]/mcp',
  'http://0.0.0.0/mcp',
  'http://2852039166/mcp',
  'http://[fd00:ec2::254]/mcp',
  'http://metadata.google.internal./mcp',
])('%s is refused as it stands', (url) => {
  expect(() => checkHost(new URL(url))).toThrow('no MCP server can be')
})

it.each(['http://127.0.0.1/', 'http://[::1]/', 'http://10.1.2.3/', 'https://mcp.example.com/'])('%s is not', (url) => {
  expect(() => checkHost(new URL(url))).not.toThrow()
})
