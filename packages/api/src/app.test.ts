import { describe, expect, test } from 'vitest'
import { buildOpenApi } from '@toolhaven/contract/openapi'
import type { RouteDef } from '@toolhaven/contract/route'
import { routes } from '@toolhaven/contract/routes'
import { ConsoleLogins } from '@toolhaven/core/console/console-logins'
import { unavailable } from '@toolhaven/core/errors'
import type { StoredConsoleLogin } from '@toolhaven/core/ports/stores'
import { type FakeDaemon, startFakeDaemon } from '@toolhaven/fakes/fake-daemon'
import { MemoryRecordStore, silentLogger } from '@toolhaven/fakes/memory-stores'
import { ask, scenario } from '@toolhaven/testing/scenario'
import { createApp } from './app.ts'

const table: [string, RouteDef][] = Object.entries(routes)
const pathOf = (route: RouteDef) => route.path.replaceAll(/\{\w+\}/g, 'x')
const FOREIGN = [
  { host: 'evil.example' },
  { host: 'localhost.evil.example' },
  { host: '127.0.0.1.evil.example:8080' },
  { host: '0.0.0.0:8080' },
  { host: '192.168.1.2' },
  { origin: 'https://evil.example' },
  { origin: 'null' },
  { origin: 'http://localhost.evil.example' },
  { origin: 'file://' },
  { 'sec-fetch-site': 'cross-site' },
  { 'sec-fetch-site': 'same-site' },
]

describe('the guard', () => {
  test('refuses a foreign Host, Origin or site on every route, before anything else', async () => {
    using fake = await startFakeDaemon()
    const targets = [
      ...table.map(([, route]) => `${route.method} ${pathOf(route)}`),
      'GET /',
      'GET /nothing/here',
      'PATCH /api/v1beta/workloads',
    ]
    for (const target of targets) {
      for (const headers of FOREIGN) {
        for (const overSocket of [false, true]) {
          const response = await ask(fake, target, { headers, overSocket })
          expect(response.status, `${target} ${JSON.stringify(headers)}`).toBe(403)
          expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8')
        }
      }
    }
    expect(fake.journal.entries).toEqual([])
  })

  for (const host of ['localhost', 'localhost:8080', '127.0.0.1:8080', '[::1]:8080', 'LOCALHOST:1', 'localhost.']) {
    scenario(`lets the Host ${host} in`, {
      request: 'GET /api/v1beta/version',
      headers: { host },
      answers: { status: 200 },
    })
  }
  for (const origin of ['http://localhost:3000', 'http://127.0.0.1:8080', 'https://[::1]']) {
    scenario(`lets the Origin ${origin} in`, {
      request: 'GET /api/v1beta/version',
      headers: { origin },
      answers: { status: 200 },
    })
  }
  for (const host of ['', 'a b', 'localhost:99999', 'user@localhost', 'localhost/x']) {
    scenario(`refuses the malformed Host ${JSON.stringify(host)}`, {
      request: 'GET /api/v1beta/version',
      headers: { host },
      answers: { status: 400, text: /Host/ },
    })
  }

  test('lets configured names in', async () => {
    using fake = await startFakeDaemon()
    const app = createApp(depsOf(fake), { overSocket: false, allowedHosts: ['tools.example.org'] })
    const answer = (host: string) => app.request('/api/v1beta/version', { headers: { host } })
    expect((await answer('tools.example.org')).status).toBe(200)
    expect((await answer('tools.example.org:8080')).status).toBe(200)
    expect((await answer('example.org')).status).toBe(403)
  })

  test('shows a person who follows a link of another site a page with nothing in it, and answers nobody else', async () => {
    using fake = await startFakeDaemon()
    const visitPage = () => new Response('you followed a link')
    const app = createApp(depsOf(fake), { overSocket: false, allowedHosts: [], visitPage })
    const link = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }
    const ask = async (path: string, headers: Record<string, string> = {}, method = 'GET') => {
      const response = await app.request(path, { method, headers: { ...link, ...headers } })
      return { status: response.status, text: await response.text() }
    }
    expect(await ask('/servers?q=a')).toEqual({ status: 200, text: 'you followed a link' })
    for (const path of ['/api/v1beta/version', '/api', '/health', '/health/x'])
      expect((await ask(path)).status, path).toBe(403)
    expect((await ask('/', { 'sec-fetch-dest': 'iframe' })).status).toBe(403)
    expect((await ask('/', { 'sec-fetch-mode': 'cors' })).status).toBe(403)
    expect((await ask('/', { origin: 'http://localhost:3000' })).status).toBe(403)
    expect((await ask('/', { host: 'evil.example' })).status).toBe(403)
    expect((await ask('/', {}, 'POST')).status).toBe(403)
  })

  test('asks for the token where one is required, on every route', async () => {
    using fake = await startFakeDaemon()
    const options = { allowedHosts: [], token: 'let-me-in-please' }
    const app = createApp(depsOf(fake), { ...options, overSocket: false })
    for (const authorization of [
      '',
      'Bearer',
      'Bearer let-me-in-pleas',
      'Bearer let-me-in-pleasee',
      'let-me-in-please',
    ]) {
      for (const path of ['/health', '/api/v1beta/version', '/nothing']) {
        const response = await app.request(path, { headers: { authorization } })
        expect(response.status).toBe(403)
        expect(await response.text()).not.toContain('let-me-in')
      }
    }
    expect((await app.request('/health', { headers: { authorization: 'Bearer let-me-in-please' } })).status).toBe(204)
    expect((await createApp(depsOf(fake), { ...options, overSocket: true }).request('/health')).status).toBe(204)
  })
})

const noLogins = new MemoryRecordStore<StoredConsoleLogin>(({ name }) => name)

function depsOf(fake: Awaited<ReturnType<typeof startFakeDaemon>>) {
  return {
    ...fake.daemon,
    console: { logins: new ConsoleLogins({ store: noLogins, clock: fake.clock }), address: () => undefined },
    relay: async () => new Response(),
    doctor: async () => ({ grade: 'A' as const, machine: { grade: 'A' as const, checks: [] }, workloads: [] }),
    ...{ version: '1', openApi: buildOpenApi('1'), logger: silentLogger, shutdown: new AbortController().signal },
    runtimeReport: async () => ({ name: 'docker', state: 'healthy' as const, notes: [], tried: [] }),
  }
}

describe('bodies', () => {
  const request = 'POST /api/v1beta/groups'
  for (const type of [
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data',
    'application/jsonp',
    'application/json; charset=utf-16',
    '',
  ]) {
    scenario(`of the type ${JSON.stringify(type)} are refused`, {
      request,
      body: { name: 'x' },
      headers: { 'content-type': type },
      answers: { status: 400, text: /Content-Type: application\/json/ },
      afterwards: (fake) => expect(fake.groupStore.records.size).toBe(0),
    })
  }
  for (const type of ['application/json', 'application/json; charset=utf-8', 'Application/JSON;charset=UTF-8']) {
    scenario(`of the type ${type} are taken`, {
      request,
      body: { name: 'x' },
      headers: { 'content-type': type },
      answers: { status: 201 },
    })
  }
  scenario('of a wrong type are refused on a route that needs none', {
    request: 'POST /api/v1beta/workloads/web/stop',
    body: 'a=b',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    answers: { status: 400, text: /Content-Type/ },
  })
  for (const [what, body] of [
    ['nothing', ''],
    ['space', '  \n'],
    ['half of an object', '{"name":'],
    ['two values', '{"name":"a"}{"name":"b"}'],
    ['a comment', '{/* x */"name":"a"}'],
    ['single quotes', "{'name':'a'}"],
    ['a trailing comma', '{"name":"a",}'],
    ['a duplicate key', '{"name":"a","name":"b"}'],
    ['a duplicate key in disguise', '{"name":"a","n\\u0061me":"b"}'],
    ['__proto__', '{"name":"a","__proto__":{"x":1}}'],
    ['a byte order mark', '\ufeff{"name":"a"}'],
    ['NaN', '{"name":NaN}'],
    ['deep nesting', `{"name":${'['.repeat(100_000)}${']'.repeat(100_000)}}`],
  ] as const) {
    scenario(`with ${what} are refused`, {
      request,
      body,
      answers: { status: 400 },
      afterwards: (fake) => expect(fake.groupStore.records.size).toBe(0),
    })
  }
  scenario('may be as long as 1 MiB', {
    request,
    body: `{"name":"x"}${' '.repeat(1024 * 1024 - 12)}`,
    answers: { status: 201 },
  })
  scenario('may not be longer', {
    request,
    body: `{"name":"x"}${' '.repeat(1024 * 1024 - 11)}`,
    answers: { status: 400, text: 'the body is longer than 1048576 bytes (1 MiB), which is the limit' },
  })

  test('that are longer than announced are cut off at the limit', async () => {
    using fake = await startFakeDaemon()
    let sent = 0
    const endless = new ReadableStream({
      pull(controller) {
        sent += 65_536
        controller.enqueue(new Uint8Array(65_536).fill(0x20))
      },
    })
    const headers = { 'content-type': 'application/json', 'transfer-encoding': 'chunked' }
    const init = { method: 'POST', headers, body: endless, duplex: 'half' }
    const response = await fake.app.request('/api/v1beta/groups', init)
    expect(response.status).toBe(400)
    expect(await response.text()).toContain('1 MiB')
    expect(sent).toBeLessThan(2 * 1024 * 1024)
  })

  test('that are no UTF-8 are refused', async () => {
    using fake = await startFakeDaemon()
    const body = new Uint8Array([
      ...new TextEncoder().encode('{"name":"'),
      0xff,
      0xfe,
      ...new TextEncoder().encode('"}'),
    ])
    const headers = { 'content-type': 'application/json', 'content-length': String(body.byteLength) }
    const response = await fake.app.request('/api/v1beta/groups', { method: 'POST', headers, body })
    expect(response.status).toBe(400)
    expect(await response.text()).toContain('UTF-8')
  })
})

describe('routes', () => {
  for (const path of [
    '/',
    '/api',
    '/api/v1beta',
    '/api/v1/workloads',
    '/api/v1beta/workloads/x/y',
    '/API/v1beta/version',
    '/health/',
    '/api/v1beta/registry/default/servers/a/b',
  ]) {
    scenario(`GET ${path} is unknown`, {
      request: `GET ${path}`,
      answers: { status: 404, text: /^there is no such route/ },
    })
  }
  test('answer 405 with Allow for every method they do not have', async () => {
    using fake = await startFakeDaemon()
    const paths = new Map<string, Set<string>>()
    const open = table.filter(([, { socketOnly }]) => !socketOnly)
    for (const [, route] of open) {
      const concrete = pathOf(route)
      const exact = open.filter(([, other]) => other.path === concrete)
      const found = exact.length > 0 ? exact : open.filter(([, other]) => matches(other.path, concrete))
      const all = found.map(([, other]) => other.method)
      paths.set(concrete, new Set(all))
    }
    for (const [path, allowed] of paths) {
      for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS']) {
        // A workload may be called "stop".
        if (open.some(([, route]) => route.method === method && matches(route.path, path))) continue
        const response = await ask(fake, `${method} ${path}`)
        expect(response.status, `${method} ${path}`).toBe(405)
        expect(response.headers.get('allow')).toBe([...allowed].toSorted().join(', '))
        expect(await response.text()).toBe(
          `${method} is not possible here; use ${[...allowed].toSorted().join(', ')}\n`,
        )
      }
    }
  })
  scenario('/workloads/stop allows POST', {
    request: 'PUT /api/v1beta/workloads/stop',
    answers: { status: 405, text: 'PUT is not possible here; use POST', headers: { allow: 'POST' } },
  })
  test('take HEAD where they take GET', async () => {
    using fake = await startFakeDaemon()
    const response = await ask(fake, 'HEAD /api/v1beta/version')
    expect(response.status).toBe(200)
    expect(await response.text()).toBe('')
    expect((await ask(fake, 'HEAD /nothing')).status).toBe(404)
  })
})

function matches(pattern: string, path: string): boolean {
  return new RegExp(`^${pattern.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path)
}

describe('a full disk', () => {
  const FULL = 'no space is left for /home/ann/.local/state/toolhaven/groups: free some space and try again'
  const full = { request: 'POST /api/v1beta/groups', body: { name: 'x' } }
  const given = (fake: FakeDaemon) => {
    fake.groupStore.failWith = unavailable(FULL)
  }
  scenario("is named by its folder to the daemon's own user", {
    ...{ ...full, given, overSocket: true },
    answers: { status: 500, text: FULL },
  })
  scenario('is told to other programs without the folder', {
    ...{ ...full, given },
    answers: {
      status: 500,
      text: /^no space is left for a folder of the daemon: free some space/,
      notContain: ['ann'],
    },
  })
})

describe('an unexpected failure', () => {
  scenario('is a fixed sentence without its reason', {
    given: (fake) => {
      fake.groupStore.failWith = new Error('ENOSPC: no space left on device, open /var/lib/toolhaven/groups/x.json')
    },
    request: 'POST /api/v1beta/groups',
    body: { name: 'x' },
    answers: {
      status: 500,
      text: 'internal server error; the log of the daemon has the details',
      notContain: ['ENOSPC', '/var'],
    },
  })

  scenario('of a part that an update took away says what to do', {
    given: (fake) => {
      const gone = new Error("Cannot find module '/usr/lib/node_modules/thv/dist/part-x.mjs'")
      fake.groupStore.failWith = Object.assign(gone, { code: 'ERR_MODULE_NOT_FOUND' })
    },
    request: 'POST /api/v1beta/groups',
    body: { name: 'x' },
    answers: {
      status: 500,
      text: 'an update replaced the program while this daemon ran; start the new one with "thv serve" (servers keep running)',
      notContain: ['/usr'],
    },
  })
})
