import { once } from 'node:events'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { createServer, type RequestListener } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isThvError } from '@toolhaven/core/errors'
import type { Logger } from '@toolhaven/core/ports/logger'
import { until } from '@toolhaven/testing/testbed/until'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createGuardedFetch } from '../net/guarded-fetch.ts'
import { builtInRegistry } from './built-in/built-in-registry.ts'
import { createRegistrySource, REGISTRY_FETCH_LIMITS } from './registry-source.ts'
import { readServerList } from './server-list.ts'

const open: (() => PromiseLike<unknown>)[] = []
let base = ''
let now = 0
let warnings: string[] = []
beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'toolhaven-mcp-registry-'))
  await chmod(base, 0o700)
  now = Date.parse('2026-11-01T00:00:00Z')
  warnings = []
})
afterEach(async () => {
  for (const close of open.splice(0)) await close()
  await rm(base, { recursive: true, force: true })
})

const logger: Logger = { debug() {}, info() {}, error() {}, warn: (message) => void warnings.push(message) }
const forever = new AbortController().signal

function fetchFor(allowPrivate: boolean) {
  const fetch = createGuardedFetch({ allowPrivate, ...REGISTRY_FETCH_LIMITS, maxBytes: 200_000 })
  open.unshift(() => fetch[Symbol.asyncDispose]())
  return fetch
}

function source() {
  const [strict, lenient] = [fetchFor(false), fetchFor(true)]
  const clock = { now: () => now, sleep: () => Promise.reject(new Error('nothing here sleeps')) }
  return createRegistrySource({
    ...{ dataDir: base, logger, clock, builtIn: builtInRegistry },
    fetchFor: (allowPrivate) => (allowPrivate ? lenient : strict),
  })
}

async function serve(listener: RequestListener) {
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(request.url ?? '')
    listener(request, response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  const close = () => new Promise((done) => server.close(done).closeAllConnections())
  open.push(close)
  const at = `http://127.0.0.1:${address.port}`
  return {
    close,
    asked,
    at,
    locate: (path = '') => ({ type: 'url' as const, url: `${at}${path}`, allowPrivateIp: true }),
  }
}

interface Said {
  version?: string
  meta?: object
  more?: object
}

function listed(name: string, { version = '1.0.0', meta, more }: Said = {}) {
  const package_ = { registryType: 'npm', identifier: `mcp-${name}`, version, transport: { type: 'stdio' } }
  const server = {
    name: `io.github.orchard/${name}`,
    description: `Has ${name}`,
    version,
    packages: [package_],
    ...more,
  }
  return { server, ...(meta && { _meta: { 'io.modelcontextprotocol.registry/official': meta } }) }
}

/** Answers like a registry: a page for each list of servers, and a page for people at its root. */
function registryOf(pages: readonly (readonly unknown[])[], path = '/v0.1/servers'): RequestListener {
  return (request, response) => {
    const url = new URL(request.url ?? '', 'http://registry.example')
    if (url.pathname === '/') return void response.end('<!doctype html><title>Servers</title>')
    if (url.pathname !== path) return void response.writeHead(404).end('{"error":"no such page"}')
    const at = Number(url.searchParams.get('cursor') ?? 0)
    const nextCursor = at + 1 < pages.length ? String(at + 1) : undefined
    const servers = pages[at] ?? []
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ servers, metadata: { nextCursor, count: servers.length } }))
  }
}

async function refusalOf(promise: Promise<unknown>): Promise<string> {
  try {
    await promise
  } catch (error) {
    if (isThvError(error, 'invalid')) return error.message
    throw error
  }
  throw new Error('it was not refused')
}

const FRUIT = ['apple', 'pear', 'plum'].map((name) => `io.github.orchard/${name}`)

describe('an MCP registry', () => {
  it.each(['', '/', '/v0.1', '/v0.1/servers'])('is recognised at its base and in its API: %j', async (path) => {
    const { asked, locate } = await serve(registryOf([[listed('apple')], [listed('pear')], [listed('plum')]]))
    const content = await source().read(locate(path), forever)
    expect(Object.keys(content.servers)).toEqual(FRUIT)
    const pages = asked.filter((url) => url.startsWith('/v0.1/servers'))
    expect(pages).toEqual(['', '&cursor=1', '&cursor=2'].map((more) => `/v0.1/servers?limit=100&version=latest${more}`))
  })

  it('is recognised below a path, and by a list at an address of its own', async () => {
    const { locate } = await serve(registryOf([[listed('apple')]], '/team/v0.1/servers'))
    expect(Object.keys((await source().read(locate('/team/'), forever)).servers)).toEqual(FRUIT.slice(0, 1))
    const list = await serve(registryOf([[listed('apple')], [listed('pear')]], '/catalogue'))
    expect(Object.keys((await source().read(list.locate('/catalogue'), forever)).servers)).toEqual(FRUIT.slice(0, 2))
  })

  it('says where each entry is from, what cannot run and why, and when it last changed', async () => {
    const { at, locate } = await serve(
      registryOf([
        [
          listed('apple', {
            version: '1.2.0+b',
            meta: { status: 'deprecated', updatedAt: '2026-10-02T03:04:05.678Z' },
          }),
          listed('pear', {
            more: { packages: [{ registryType: 'nuget', identifier: 'Pear', transport: { type: 'stdio' } }] },
          }),
          listed('plum', { more: { packages: [], remotes: [{ type: 'sse', url: 'https://plum.example/sse' }] } }),
          { surprise: true },
        ],
      ]),
    )
    const content = await source().read(locate(), forever)
    expect(content).toMatchObject({ version: 'v0.1', last_updated: '2026-10-02T03:04:05Z' })
    expect(content.servers['io.github.orchard/apple']).toMatchObject({
      ...{ tier: 'Community', status: 'deprecated', image: 'npx://mcp-apple@1.2.0+b' },
      source: `${at}/v0.1/servers/io.github.orchard%2Fapple/versions/1.2.0%2Bb`,
    })
    expect(content.remote_servers?.['io.github.orchard/plum']).toMatchObject({ url: 'https://plum.example/sse' })
    expect(content.leftOut).toEqual([
      { name: 'entry 4', reason: 'it has no name, or the wrong format' },
      { name: 'io.github.orchard/pear', reason: 'nuget packages are not supported' },
    ])
  })

  const apple = (version: string, meta: object = {}) => listed('apple', { version, meta })
  it.each([
    ['the one that is marked', [apple('1.0.0', { isLatest: true }), apple('2.0.0', { isLatest: false })], ['1.0.0']],
    [
      'else the one published last',
      [
        apple('2.0.0', { publishedAt: '2026-01-01T00:00:00Z' }),
        apple('1.9.0', { publishedAt: '2026-02-01T00:00:00Z' }),
      ],
      ['1.9.0'],
    ],
    ['else the highest', [apple('1.9.0'), apple('1.10.0'), apple('1.2.0')], ['1.10.0']],
    ['none when that was deleted', [apple('1.0.0'), apple('2.0.0', { isLatest: true, status: 'deleted' })], []],
  ])('has the latest version of each server: %s', async (_, all, versions) => {
    for (const items of [all, all.toReversed()]) {
      const { locate } = await serve(registryOf([items]))
      const { servers, leftOut } = await source().read(locate(), forever)
      expect(Object.values(servers).map(({ image }) => image)).toEqual(
        versions.map((version) => `npx://mcp-apple@${version}`),
      )
      expect(leftOut).toEqual([])
    }
  })

  it('is kept over a restart, used at once and read again behind, an hour later', async () => {
    const pages = [[listed('apple')]]
    const { asked, close, locate } = await serve(registryOf(pages))
    await source().read(locate(), forever)
    const reads = asked.length
    const later = source()
    now += 30 * 60_000
    expect(Object.keys((await later.read(locate(), forever)).servers)).toEqual(FRUIT.slice(0, 1))
    expect(asked).toHaveLength(reads)
    pages.push([listed('pear')])
    now += 31 * 60_000
    expect(Object.keys((await later.read(locate(), forever)).servers)).toEqual(FRUIT.slice(0, 1))
    const isNew = async () => Object.keys((await later.read(locate(), forever)).servers).length === 2
    await until('the list is read again', isNew)
    await close()
    now += 61 * 60_000
    // The read before may still be writing its copy, and is then not followed by another.
    await until('the failure is logged', async () => {
      await later.read(locate(), forever)
      return warnings.length > 0
    })
    expect(Object.keys((await later.read(locate(), forever)).servers)).toEqual(FRUIT.slice(0, 2))
    expect((await source().lastGood(locate()))?.leftOut).toEqual([])
    await refusalOf(later.read(locate(), forever, { refresh: true }))
  })

  it('does not keep a registry file from being told what is wrong with it', async () => {
    const file = await serve((_request, response) => response.end('{"servers":{}}'))
    expect(await refusalOf(source().read(file.locate('/servers'), forever))).toContain('$.version: is missing')
    expect(file.asked).toEqual(['/servers'])
    const page = await serve((request, response) => response.writeHead(request.url === '/' ? 200 : 404).end('<html>'))
    const refusal = await refusalOf(source().read(page.locate(), forever))
    expect(refusal).toContain('line 1, column 1')
    expect(refusal).toContain('/v0.1/servers is not the server list of an MCP registry')
    const closed = await serve((_request, response) => response.writeHead(401).end())
    expect(await refusalOf(source().read(closed.locate(), forever))).toContain('/v0.1/servers answered with status 401')
  })
})

describe('a hostile MCP registry', () => {
  const limits = { pages: 5, servers: 20, bytes: 20_000, timeMs: 20_000 }
  const read = async (listener: RequestListener, bounds: Partial<typeof limits> = {}) => {
    const { at } = await serve(listener)
    const list = new URL(`${at}/v0.1/servers`)
    return refusalOf(
      readServerList({ fetch: fetchFor(true), list, origin: 'the registry', limits: { ...limits, ...bounds } }),
    )
  }
  const endless = (servers: unknown[], next: (page: number) => string): RequestListener => {
    let pages = 0
    return (_request, response) =>
      response.end(JSON.stringify({ servers, metadata: { nextCursor: next((pages += 1)) } }))
  }

  it.each([
    [
      'a cursor that repeats',
      endless([], (page) => (page % 2 === 0 ? 'even' : 'odd')),
      'has no end: page 3 leads back',
    ],
    ['pages without end', endless([], String), 'more than 5 pages'],
    [
      'servers without end',
      endless(
        Array.from({ length: 9 }, () => ({})),
        String,
      ),
      'lists more than 20 servers',
    ],
    ['large pages', endless(['x'.repeat(9000)], String), 'larger than 20000 bytes'],
    ['one page that is too large', endless(['x'.repeat(300_000)], String), 'larger than 200000 bytes'],
    ['a cursor as long as a page', endless([], () => 'x'.repeat(5000)), 'a cursor of 5000 characters'],
  ] as const)('is refused for %s', async (_, listener, reason) => {
    expect(await read(listener)).toContain(reason)
  })

  it('is refused when it says nothing for too long', async () => {
    expect(await read(() => {}, { timeMs: 50 })).toContain('did not answer in time')
  })

  it.each([
    ['a key twice', '{"servers":[],"servers":[]}', 'appears twice'],
    ['a key twice in disguise', String.raw`{"servers":[{"server":{"name":"a","n\u0061me":"b"}}]}`, 'appears twice'],
    ['a prototype', '{"servers":[{"__proto__":{}}]}', '"__proto__" is not allowed'],
    ['depth', `{"servers":[${'['.repeat(80)}${']'.repeat(80)}]}`, 'nests deeper'],
    ['bytes that are no text', Buffer.from([0x7b, 0xff]), 'not UTF-8'],
  ])('is refused for %s, on any page', async (_, text, reason) => {
    const first: RequestListener = (_request, response) => response.end(text)
    expect(await read(first)).toContain(reason)
    let pages = 0
    const second: RequestListener = (_request, response) =>
      response.end((pages += 1) === 1 ? '{"servers":[],"metadata":{"nextCursor":"2"}}' : text)
    expect(await read(second)).toContain(reason)
  })

  it('cannot lead to a private address from a page, nor be one without permission', async () => {
    const { locate } = await serve(registryOf([[listed('apple')]]))
    expect(await refusalOf(source().read({ ...locate(), allowPrivateIp: false }, forever))).toContain('must use https')
    const metadata: RequestListener = (_request, response) =>
      response.writeHead(302, { location: 'http://169.254.169.254/v0.1/servers' }).end()
    expect(await read(metadata)).toContain('is not a public address and is never reached')
  })

  it('loses only the entries that do not hold', async () => {
    const { locate } = await serve(
      registryOf([
        [
          listed('apple'),
          listed('pear', { more: { description: 'a\0b' } }),
          listed('plum', { more: { name: '../../etc/passwd' } }),
          listed('plum', { more: { name: 'io.github.orchard/plum', version: 5 } }),
          listed('fig', { more: { packages: 'all' } }),
          listed('fig', { more: { name: `io.github.orchard/${'x'.repeat(5000)}` } }),
          null,
        ],
      ]),
    )
    const { servers, leftOut = [] } = await source().read(locate(), forever)
    expect(Object.keys(servers)).toEqual(FRUIT.slice(0, 1))
    expect(leftOut).toHaveLength(6)
    for (const { name, reason } of leftOut) expect(name.length + reason.length).toBeLessThan(520)
  })
})
