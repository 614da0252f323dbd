import { once } from 'node:events'
import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type RequestListener } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isThvError } from '@toolhaven/core/errors'
import type { Logger } from '@toolhaven/core/ports/logger'
import type { RegistryLocation } from '@toolhaven/core/ports/registry-source'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createGuardedFetch } from '../net/guarded-fetch.ts'
import { builtInRegistry } from './built-in/built-in-registry.ts'
import { createRegistrySource, REGISTRY_FETCH_LIMITS } from './registry-source.ts'

const open: (() => PromiseLike<unknown>)[] = []
let base = ''
let now = 0
let warnings: string[] = []
beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'toolhaven-registry-'))
  await chmod(base, 0o700)
  now = 1_000_000
  warnings = []
})
afterEach(async () => {
  for (const close of open.splice(0)) await close()
  await rm(base, { recursive: true, force: true })
})

const logger: Logger = { debug() {}, info() {}, error() {}, warn: (message) => void warnings.push(message) }
const forever = new AbortController().signal

function source(maxBytes = 100_000) {
  const limits = { ...REGISTRY_FETCH_LIMITS, maxBytes }
  const fetches = [false, true].map((allowPrivate) => createGuardedFetch({ allowPrivate, ...limits }))
  for (const fetch of fetches) open.unshift(() => fetch[Symbol.asyncDispose]())
  const [strict, lenient] = fetches
  if (!strict || !lenient) throw new Error('no fetch')
  const clock = { now: () => now, sleep: () => Promise.reject(new Error('nothing here sleeps')) }
  return createRegistrySource({
    dataDir: base,
    logger,
    clock,
    builtIn: builtInRegistry,
    fetchFor: (allowPrivate) => (allowPrivate ? lenient : strict),
  })
}

async function serve(listener: RequestListener) {
  const server = createServer(listener)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  const close = () => new Promise((done) => server.close(done).closeAllConnections())
  open.push(close)
  return {
    close,
    location: {
      type: 'url',
      url: `http://127.0.0.1:${address.port}/registry.json`,
      allowPrivateIp: true,
    } satisfies RegistryLocation,
  }
}

const server = {
  description: 'Says the time',
  tier: 'Community',
  status: 'active',
  image: 'npx://time@1.0.0',
  transport: 'stdio',
  tools: ['now'],
}
const registry = (servers: unknown = { time: server }, more: object = {}) =>
  JSON.stringify({ version: '1.0.0', last_updated: '2026-01-02T00:00:00Z', servers, ...more })

async function refusalOf(promise: Promise<unknown>): Promise<string> {
  try {
    await promise
  } catch (error) {
    if (isThvError(error, 'invalid')) return error.message
    throw error
  }
  throw new Error('it was not refused')
}

async function file(text: string | Buffer): Promise<RegistryLocation> {
  const path = join(base, 'registry.json')
  await writeFile(path, text)
  return { type: 'file', path }
}

describe('the default registry', () => {
  it('is the built-in one, with the key as the name of each entry', async () => {
    const document = await source().read({ type: 'default' }, forever)
    const names = Object.entries(document.servers).map(([key, entry]) => [key, entry.name])
    expect(names.length).toBeGreaterThan(0)
    for (const [key, name] of names) expect(name).toBe(key)
    expect(await source().lastGood({ type: 'default' })).toEqual(document)
  })
})

describe('a registry file', () => {
  it('may be spelled as public registries are', async () => {
    const spelled = { ...server, status: 'Active', tools: null, args: null, name: 'something-else' }
    const remote = {
      description: 'Far',
      tier: 'Official',
      status: 'Deprecated',
      url: 'https://far.test/mcp',
      transport: 'sse',
    }
    const location = await file(
      `\ufeff${registry({ time: spelled }, { $schema: 'https://any.test/', remote_servers: { far: remote } })}`,
    )
    const { servers, remote_servers } = await source().read(location, forever)
    expect(servers['time']).toMatchObject({ name: 'time', status: 'active', tools: [] })
    expect(servers['time']).not.toHaveProperty('args')
    expect(remote_servers?.['far']).toMatchObject({ name: 'far', status: 'deprecated', tools: [] })
  })

  it.each([
    ['{"servers":{}', 'line 1, column 14'],
    ['[]', '$: '],
    ['{"version":"1","last_updated":"x","servers":{},"servers":{}}', 'the key "servers" appears twice'],
    ['{"__proto__":{},"version":"1","last_updated":"x","servers":{}}', '"__proto__" is not allowed'],
    [
      `{"version":"1","last_updated":"x","servers":{},"x":${'['.repeat(100)}${']'.repeat(100)}}`,
      'deeper than 64 levels',
    ],
    [registry({ time: { ...server, transport: 'pigeon' } }), '$.servers.time.transport: '],
    [registry({ '../etc': server }), '$.servers["../etc"]: must'],
    [registry({ time: { ...server, surprise: 1 } }), '$.servers.time: '],
    [registry({ time: { ...server, env_vars: [{ name: 'A' }] } }), '$.servers.time.env_vars[0].description: '],
    [registry({ time: null, other: 5 }), '$.servers.time: '],
    [
      registry({ time: { ...server, env_vars: [{ name: 'A', description: 'A', required: false, default: 'x\0y' }] } }),
      '$.servers.time.env_vars[0].default: must not contain a NUL character',
    ],
    [registry({ time: { ...server, args: ['\ud83d'] } }), '$.servers.time.args[0]: must not contain half of'],
    [registry({ time: { ...server, custom_metadata: { 'a\0': 1 } } }), 'this key must not contain a NUL character'],
  ])('is refused with the fault named: %s', async (text, fault) => {
    const location = await file(text)
    expect(await refusalOf(source().read(location, forever))).toContain(fault)
    expect(await source().lastGood(location)).toBeUndefined()
  })

  it('has its first five faults named, and the rest counted', async () => {
    const location = await file(
      registry(Object.fromEntries(Array.from({ length: 8 }, (_, index) => [`s${index}`, { ...server, tier: 'x' }]))),
    )
    const refusal = await refusalOf(source().read(location, forever))
    expect(refusal.match(/\$\.servers\.s\d\.tier/g)).toHaveLength(5)
    expect(refusal).toContain('and 3 more')
  })

  it('is read again when it changed, and its last good copy outlives damage and restart', async () => {
    const location = await file(registry())
    const first = source()
    const document = await first.read(location, forever)
    expect(await first.read(location, forever)).toBe(document)
    await file(registry({ time: server, clock: server }))
    expect(Object.keys((await first.read(location, forever)).servers)).toEqual(['time', 'clock'])
    await file('damaged')
    await refusalOf(first.read(location, forever))
    expect(Object.keys((await source().lastGood(location))?.servers ?? {})).toEqual(['time', 'clock'])
  })

  it('is refused when it is missing, relative, a folder, too large or not UTF-8', async () => {
    const read = (path: string) => refusalOf(source().read({ type: 'file', path }, forever))
    expect(await read(join(base, 'none.json'))).toContain('there is no such file')
    expect(await read('registry.json')).toContain('absolute path')
    expect(await read(base)).toContain('not an ordinary file')
    await writeFile(join(base, 'large'), Buffer.alloc(REGISTRY_FETCH_LIMITS.maxBytes + 1, ' '))
    expect(await read(join(base, 'large'))).toContain('larger than')
    const latin = await file(Buffer.from(registry({ time: { ...server, description: '\u00e9' } }), 'latin1'))
    expect(await refusalOf(source().read(latin, forever))).toContain('not UTF-8')
  })

  it('is refused when it opens and cannot be read', async (context) => {
    if (process.platform !== 'linux') return context.skip('only Linux has such a file')
    const path = '/proc/self/mem'
    expect(await refusalOf(source().read({ type: 'file', path }, forever))).toContain('could not be read (EIO)')
  })
})

describe('a registry at a url', () => {
  it('is asked once in a while, once for all, and only for what is new', async () => {
    const asked: (string | undefined)[] = []
    let version = '"1"'
    const { location } = await serve((request, response) => {
      asked.push(request.headers['if-none-match'])
      if (request.headers['if-none-match'] === version) return void response.writeHead(304).end()
      response.writeHead(200, { etag: version }).end(registry({ [`v${version.slice(1, -1)}`]: server }))
    })
    const first = source()
    const [one, two] = await Promise.all([first.read(location, forever), first.read(location, forever)])
    expect(one).toBe(two)
    await first.read(location, forever)
    expect(asked).toEqual([undefined])
    expect(await first.read(location, forever, { refresh: true })).toBe(one)
    now += 11 * 60_000
    version = '"2"'
    expect(Object.keys((await first.read(location, forever)).servers)).toEqual(['v2'])
    expect(asked).toEqual([undefined, '"1"', '"1"'])
    await source().read(location, forever) // after a restart the kept copy still knows its version
    expect(asked.at(-1)).toBe('"2"')
  })

  it('that does not answer any more leaves its last good copy, and is not asked again at once', async () => {
    const { location, close } = await serve((_request, response) => response.end(registry()))
    const first = source()
    await first.read(location, forever)
    await close()
    now += 11 * 60_000
    const refusal = await refusalOf(first.read(location, forever))
    expect(refusal).toMatch(/^the registry at 127\.0\.0\.1:\d+ could not be read: .* could not be reached/)
    expect(await refusalOf(first.read(location, forever))).toBe(refusal)
    expect(Object.keys((await first.lastGood(location))?.servers ?? {})).toEqual(['time'])
  })

  it('is refused when it is not a registry, does not answer 200, or is too large', async () => {
    const answers: RequestListener[] = [
      (_request, response) => response.end('<html>'),
      (_request, response) => response.writeHead(404).end(registry()),
      (_request, response) => response.end(registry({}, { version: 'x'.repeat(200_000) })),
      (_request, response) => response.end(Buffer.from([0xff, 0xfe, 0x00])),
    ]
    const { location } = await serve((request, response) => answers.shift()?.(request, response))
    const first = source()
    const refusals: string[] = []
    while (answers.length > 0) refusals.push(await refusalOf(first.read(location, forever)))
    expect(refusals[0]).toContain('line 1, column 1')
    expect(refusals[1]).toContain('status 404')
    expect(refusals[2]).toContain('larger than 100000 bytes')
    expect(refusals[3]).toContain('not UTF-8')
    expect(await first.lastGood(location)).toBeUndefined()
  })

  it('on a private address needs permission, and what was read with it does not count without', async () => {
    const { location } = await serve((_request, response) => response.end(registry()))
    const first = source()
    await first.read(location, forever)
    const without = { ...location, allowPrivateIp: false }
    expect(await refusalOf(first.read(without, forever))).toContain('must use https')
    expect(await refusalOf(first.read({ ...without, url: 'https://localhost/' }, forever))).toContain(
      'not a public address',
    )
    expect(await first.lastGood(without)).toBeUndefined()
  })

  it('lets one caller go without keeping the answer from the others', async () => {
    const release = Promise.withResolvers<void>()
    const { location } = await serve((_request, response) => void release.promise.then(() => response.end(registry())))
    const first = source()
    const leaving = new AbortController()
    const left = first.read(location, leaving.signal)
    const staying = first.read(location, forever)
    leaving.abort(new Error('gone'))
    await expect(left).rejects.toThrow('gone')
    release.resolve()
    expect(Object.keys((await staying).servers)).toEqual(['time'])
  })

  it('that becomes older than its copy is used, with a warning', async () => {
    const dates = ['2026-05-01T00:00:00Z', '2025-05-01T00:00:00Z']
    const { location } = await serve((_request, response) =>
      response.end(registry({}, { last_updated: dates.shift() })),
    )
    const first = source()
    await first.read(location, forever)
    expect((await first.read(location, forever, { refresh: true })).last_updated).toBe('2025-05-01T00:00:00Z')
    expect(warnings).toEqual(['the registry is older than the copy it replaces'])
  })

  it('has a damaged copy ignored', async () => {
    const { location } = await serve((_request, response) => response.end(registry()))
    await source().read(location, forever)
    const [name = ''] = await readdir(join(base, 'registry'))
    expect(name).not.toContain('127')
    await writeFile(join(base, 'registry', name), (await readFile(join(base, 'registry', name), 'utf8')).slice(0, 50))
    expect(await source().lastGood(location)).toBeUndefined()
    expect(Object.keys((await source().read(location, forever)).servers)).toEqual(['time'])
  })
})
