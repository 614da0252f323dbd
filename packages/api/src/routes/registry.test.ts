import { describe, expect } from 'vitest'
import { invalid } from '@toolhaven/core/errors'
import { type FakeDaemon, fakeRegistry } from '@toolhaven/fakes/fake-daemon'
import { done, scenario, send } from '@toolhaven/testing/scenario'

const INFO = {
  name: 'default',
  type: 'default',
  source: '',
  version: '1.0.0',
  last_updated: '2026-01-01T00:00:00Z',
  server_count: 4,
}
const OTHER = { version: '2.0.0', last_updated: '2026-02-01T00:00:00Z', servers: {} }

/** A source beside the built-in one that can be taken away. */
function withOther(fake: FakeDaemon): { isGone: boolean } {
  const { source } = fake.daemon.registry
  const state = { isGone: false }
  fake.daemon.registry.source = {
    read: async (location, signal) => {
      if (location.type === 'default') return source.read(location, signal)
      if (state.isGone) throw invalid('the registry does not answer')
      return OTHER
    },
    lastGood: async (location) => (location.type === 'default' ? undefined : { ...OTHER, version: '1.9.9' }),
  }
  return state
}

describe('the registry', () => {
  scenario('is listed wrapped, counting both kinds of servers', {
    request: 'GET /api/v1beta/registry',
    answers: { status: 200, json: { registries: [INFO] } },
  })
  scenario('is shown with its content keyed by name', {
    request: 'GET /api/v1beta/registry/default',
    answers: { status: 200, json: { ...INFO, registry: fakeRegistry } },
  })
  scenario('lists its servers as arrays, sorted, with their names', {
    request: 'GET /api/v1beta/registry/default/servers',
    answers: {
      status: 200,
      matches: {
        servers: [{ name: 'everything' }, { name: 'needs-key' }, { name: 'signed' }],
        remote_servers: [{ name: 'com.example/docs' }],
      },
    },
  })
  scenario('gives one container server', {
    request: 'GET /api/v1beta/registry/default/servers/everything',
    answers: {
      status: 200,
      json: { is_remote: false, server: { ...fakeRegistry.servers['everything'], name: 'everything' } },
    },
  })
  scenario('gives one remote server, its name percent-encoded', {
    request: 'GET /api/v1beta/registry/default/servers/com.example%2Fdocs',
    answers: {
      status: 200,
      matches: { is_remote: true, remote_server: { name: 'com.example/docs' } },
      notContain: ['"server"'],
    },
  })
  for (const name of [
    'ghost',
    '__proto__',
    'constructor',
    'toString',
    '..%2f..%2fetc',
    'com.example%252Fdocs',
    'x'.repeat(2000),
  ]) {
    scenario(`has no server ${name.slice(0, 30)}`, {
      request: `GET /api/v1beta/registry/default/servers/${name}`,
      answers: { status: 404, text: /^server .* not found in the registry default/ },
    })
  }
  scenario('refuses a server name with a NUL', {
    request: 'GET /api/v1beta/registry/default/servers/%00',
    answers: { status: 400, text: 'serverName: must not contain a NUL character' },
  })
  for (const request of [
    'GET /api/v1beta/registry/other',
    'GET /api/v1beta/registry/other/servers',
    'GET /api/v1beta/registry/other/servers/everything',
    'DELETE /api/v1beta/registry/other',
    'GET /api/v1beta/registry/..%2fdefault',
  ]) {
    scenario(`${request} is not found`, { request, answers: { status: 404, text: /^registry not found/ } })
  }
  scenario('cannot be added to', {
    request: 'POST /api/v1beta/registry',
    body: { name: 'mine' },
    answers: { status: 501, text: /^adding a registry is not implemented/ },
  })
  scenario('cannot be deleted', {
    request: 'DELETE /api/v1beta/registry/default',
    answers: { status: 400, text: /cannot be deleted; PUT \{\} resets it/ },
  })
})

describe('changing the source of the registry', () => {
  for (const [body, type, source] of [
    [{ url: 'https://example.com/r.json', allow_private_ip: true }, 'url', 'https://example.com/r.json'],
    [{ local_path: '/data/r.json' }, 'file', '/data/r.json'],
  ] as const) {
    scenario(`to a ${type}`, {
      given: withOther,
      request: 'PUT /api/v1beta/registry/default',
      body,
      answers: { status: 200, json: { message: `the registry is now read from ${source}`, type } },
      afterwards: async (fake) => {
        expect(JSON.parse((await send(fake, 'GET /api/v1beta/registry')).text)).toEqual({
          registries: [
            {
              ...{ name: 'default', type, source, version: '2.0.0', last_updated: '2026-02-01T00:00:00Z' },
              ...{ server_count: 0, ...(type === 'url' && { allow_private_ip: true }) },
            },
          ],
        })
        expect(JSON.parse((await send(fake, 'GET /api/v1beta/registry/default')).text)).toMatchObject({
          registry: { servers: {}, remote_servers: {} },
        })
        expect((await send(fake, 'PUT /api/v1beta/registry/default', { body: {} })).text).toContain('"default"')
        expect(JSON.parse((await send(fake, 'GET /api/v1beta/registry')).text)).toEqual({ registries: [INFO] })
      },
    })
  }
  scenario('that stops answering leaves the last good copy', {
    given: async (fake) => {
      const state = withOther(fake)
      await done(fake, 'PUT /api/v1beta/registry/default', { url: 'https://example.com/r.json' })
      state.isGone = true
    },
    request: 'GET /api/v1beta/registry',
    answers: { status: 200, matches: { registries: [{ version: '1.9.9', type: 'url' }] } },
  })
  scenario('to one that does not hold leaves the old one in force', {
    request: 'PUT /api/v1beta/registry/default',
    body: { url: 'https://example.com/broken.json' },
    answers: { status: 400, text: /cannot be read/ },
    afterwards: async (fake) => {
      expect(JSON.parse((await send(fake, 'GET /api/v1beta/registry')).text)).toEqual({ registries: [INFO] })
      expect(fake.journal.entries).toEqual([])
    },
  })
  for (const body of [
    { url: 'https://a.example', local_path: '/x' },
    { url: '' },
    { local_path: '' },
    { url: 1 },
    { url: null },
    { allow_private_ip: 'yes' },
    { uri: 'x' },
    [],
  ]) {
    scenario(`with ${JSON.stringify(body)}`, {
      request: 'PUT /api/v1beta/registry/default',
      body,
      answers: { status: 400 },
    })
  }
  scenario('is tried before, and changes nothing', {
    given: (fake) => void withOther(fake),
    request: 'POST /api/v1beta/registry/default/test',
    body: { url: 'https://example.com/r.json' },
    answers: {
      status: 200,
      matches: { type: 'url', source: 'https://example.com/r.json', version: '2.0.0', server_count: 0 },
    },
    afterwards: async (fake) => {
      expect(JSON.parse((await send(fake, 'GET /api/v1beta/registry')).text)).toEqual({ registries: [INFO] })
      expect(fake.journal.entries).toEqual([])
    },
  })
  scenario('is tried before, and one that does not hold says why', {
    request: 'POST /api/v1beta/registry/default/test',
    body: { url: 'https://example.com/broken.json' },
    answers: { status: 400, text: /cannot be read/ },
  })
  scenario('of another registry cannot be tried', {
    request: 'POST /api/v1beta/registry/other/test',
    body: {},
    answers: { status: 404, text: /^registry not found/ },
  })
  scenario('of another registry', {
    request: 'PUT /api/v1beta/registry/other',
    body: {},
    answers: { status: 404, text: /^registry not found/ },
  })
})

describe('an MCP registry', () => {
  /** As a source reads it: some of its servers cannot run here. */
  const withLeftOut = async (fake: FakeDaemon) => {
    withOther(fake)
    const { source } = fake.daemon.registry
    const leftOut = [{ name: 'io.github.orchard/press', reason: 'mcpb packages are not supported' }]
    fake.daemon.registry.source = {
      ...source,
      read: async (...asked) => ({ ...(await source.read(...asked)), leftOut }),
    }
    await done(fake, 'PUT /api/v1beta/registry/default', { url: 'https://registry.example' })
  }
  const reason =
    /the registry has io\.github\.orchard\/press, but Toolhaven cannot run it: mcpb packages are not supported/
  scenario('counts what it leaves out, apart from its content', {
    given: withLeftOut,
    request: 'GET /api/v1beta/registry/default',
    answers: { status: 200, matches: { server_count: 0, left_out: 1 }, notContain: ['press', 'leftOut'] },
  })
  scenario('says of a server why it is left out', {
    given: withLeftOut,
    request: 'GET /api/v1beta/registry/default/servers/io.github.orchard%2Fpress',
    answers: { status: 404, text: reason },
  })
  scenario('does not let the name of such a server pass for that of an image', {
    given: withLeftOut,
    request: 'POST /api/v1beta/workloads',
    body: { image: 'io.github.orchard/press' },
    answers: { status: 404, text: reason },
  })
  scenario('does not keep a configuration from being imported that was made of such a server', {
    given: withLeftOut,
    request: 'POST /api/v1beta/workloads/import',
    body: {
      ...{ schema_version: 'v0.1.0', name: 'press', base_name: 'io.github.orchard/press' },
      ...{ image: 'npx://press@1.0.0', transport: 'stdio' },
    },
    answers: { status: 201, matches: { name: 'press' } },
  })
})

describe('reading the registry again', () => {
  scenario('gives what it is now', {
    request: 'POST /api/v1beta/registry/default/refresh',
    answers: { status: 200, json: INFO },
  })
  scenario('says why it cannot be read, and keeps the last good copy', {
    given: async (fake) => {
      const state = withOther(fake)
      await done(fake, 'PUT /api/v1beta/registry/default', { url: 'https://example.com/r.json' })
      state.isGone = true
    },
    request: 'POST /api/v1beta/registry/default/refresh',
    answers: { status: 400, text: 'the registry does not answer' },
    afterwards: async (fake) => {
      const { text } = await send(fake, 'GET /api/v1beta/registry')
      expect(JSON.parse(text)).toMatchObject({ registries: [{ version: '1.9.9', type: 'url' }] })
    },
  })
  scenario('of another name', {
    request: 'POST /api/v1beta/registry/other/refresh',
    answers: { status: 404, text: /^registry not found/ },
  })
})
