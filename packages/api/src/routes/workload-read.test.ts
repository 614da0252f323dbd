import { describe, expect } from 'vitest'
import type { FakeDaemon } from '@toolhaven/fakes/fake-daemon'
import { done, scenario } from '@toolhaven/testing/scenario'

const web = (fake: FakeDaemon, fields: object = {}) =>
  done(fake, 'POST /api/v1beta/workloads', { name: 'web', image: 'npx://web@1.0.0', ...fields })

async function several(fake: FakeDaemon): Promise<void> {
  await done(fake, 'POST /api/v1beta/groups', { name: 'research' })
  await web(fake, { name: 'b' })
  await web(fake, { name: 'C' })
  await web(fake, { name: 'a', group: 'research' })
  await web(fake, { name: 'stopped' })
  await done(fake, 'POST /api/v1beta/workloads/stopped/stop')
  fake.runtime.missing.add('npx://broken@1.0.0')
  await web(fake, { name: 'broken', image: 'npx://broken@1.0.0' })
}

const named = (...names: string[]) => ({ workloads: names.map((name) => ({ name })) })

describe('listing workloads', () => {
  scenario('gives an empty list when there are none', {
    request: 'GET /api/v1beta/workloads',
    answers: { status: 200, json: { workloads: [] }, headers: { 'content-type': 'application/json' } },
  })
  scenario('gives those wanted running, whatever their status, sorted by name', {
    given: several,
    request: 'GET /api/v1beta/workloads',
    answers: { status: 200, matches: named('C', 'a', 'b', 'broken') },
  })
  scenario('gives the same with all=false', {
    given: several,
    request: 'GET /api/v1beta/workloads?all=false',
    answers: { status: 200, matches: named('C', 'a', 'b', 'broken') },
  })
  scenario('gives everything with all=true', {
    given: several,
    request: 'GET /api/v1beta/workloads?all=true',
    answers: { status: 200, matches: named('C', 'a', 'b', 'broken', 'stopped') },
  })
  scenario('says of each how clients reach it and whether it runs here', {
    given: async (fake) => {
      await web(fake, { name: 'a', proxy_mode: 'sse' })
      await done(fake, 'POST /api/v1beta/workloads', { name: 'b', url: 'https://example.com/mcp' })
    },
    request: 'GET /api/v1beta/workloads',
    answers: {
      status: 200,
      matches: {
        workloads: [
          { name: 'a', proxy_mode: 'sse', remote: false },
          { name: 'b', proxy_mode: 'streamable-http', remote: true },
        ],
      },
    },
  })
  scenario('says the same of one alone', {
    given: (fake) => done(fake, 'POST /api/v1beta/workloads', { name: 'web', url: 'https://example.com/mcp' }),
    request: 'GET /api/v1beta/workloads/web',
    answers: { status: 200, matches: { proxy_mode: 'streamable-http', remote: true } },
  })
  scenario('gives one group', {
    given: several,
    request: 'GET /api/v1beta/workloads?group=research&all=true',
    answers: { status: 200, matches: named('a') },
  })
  scenario('of an unknown group', {
    request: 'GET /api/v1beta/workloads?group=ghosts',
    answers: { status: 404, text: /^group ghosts not found/ },
  })
  for (const query of [
    'all=1',
    'all=TRUE',
    'all=yes',
    'all=',
    'all',
    'all=true&all=false',
    'group=',
    'group=UP',
    'group=..%2fx',
  ]) {
    scenario(`with ?${query}`, { request: `GET /api/v1beta/workloads?${query}`, answers: { status: 400 } })
  }
  for (const [query, name] of [
    ['limit=3', 'limit'],
    ['__proto__=x', '__proto__'],
    ['constructor=x', 'constructor'],
    ['All=true', 'All'],
  ] as const) {
    scenario(`with the unknown parameter ${name}`, {
      request: `GET /api/v1beta/workloads?${query}`,
      answers: { status: 400, text: new RegExp(`unknown .*${name}`) },
    })
  }
})

describe('one workload', () => {
  scenario('shows record and configuration in one object', {
    given: (fake) =>
      web(fake, {
        ...{
          proxy_port: 15_000,
          env_vars: { A: 'b' },
          cmd_arguments: ['x'],
          volumes: ['/data/in:/in'],
          tools: ['echo'],
        },
        ...{ labels: { team: 'red' }, resources: { cpus: 0.5 }, permission_profile: { name: 'network' } },
      }),
    request: 'GET /api/v1beta/workloads/web',
    answers: {
      status: 200,
      json: {
        ...{
          name: 'web',
          group: 'default',
          status: 'running',
          status_context: '',
          port: 15_000,
          url: 'http://127.0.0.1:15000/mcp',
        },
        ...{
          package: 'npx://web@1.0.0',
          tool_type: 'mcp',
          transport_type: 'stdio',
          proxy_mode: 'streamable-http',
          remote: false,
          tools: ['echo'],
          labels: { team: 'red' },
        },
        ...{ created_at: '2026-01-01T00:00:00Z', image: 'npx://web@1.0.0', host: '127.0.0.1', transport: 'stdio' },
        ...{ proxy_mode: 'streamable-http', cmd_arguments: ['x'], env_vars: { A: 'b' }, volumes: ['/data/in:/in'] },
        ...{ resources: { cpus: 0.5 }, proxy_port: 15_000, network_isolation: false, network_mode: 'isolated' },
        permission_profile: { name: 'network', network: { outbound: { insecure_allow_all: true } } },
      },
    },
  })
  scenario('of that name does not exist', {
    request: 'GET /api/v1beta/workloads/ghost',
    answers: { status: 404, text: /^workload ghost not found/ },
  })
  scenario('is looked up by its exact spelling', {
    given: web,
    request: 'GET /api/v1beta/workloads/Web',
    answers: { status: 404, text: /^workload Web not found/ },
  })
  scenario('says its status', {
    given: web,
    request: 'GET /api/v1beta/workloads/web/status',
    answers: { status: 200, json: { status: 'running' } },
  })
  scenario('says unknown while the runtime does not answer', {
    given: async (fake) => {
      await web(fake)
      fake.runtime.goDown()
    },
    request: 'GET /api/v1beta/workloads/web',
    answers: { status: 200, matches: { status: 'unknown', status_context: 'the engine does not answer' } },
  })
  const seen: string[] = []
  scenario('says unhealthy when it no longer answers, and is replaced', {
    given: async (fake) => {
      await web(fake)
      fake.daemon.events.subscribe(({ status }) => seen.push(status))
      fake.gateway.failPings = true
      fake.runtime.whileStopping = () => new Promise(() => {})
      for (let round = 0; round < 3; round += 1) await fake.clock.advance(30_000)
    },
    request: 'GET /api/v1beta/workloads/web/status',
    answers: { status: 200, json: { status: 'unhealthy' } },
    afterwards: () => expect(seen).toContain('unhealthy'),
  })
  scenario('has no status when it does not exist', {
    request: 'GET /api/v1beta/workloads/ghost/status',
    answers: { status: 404 },
  })
})

describe('logs', () => {
  scenario('are the last 100 lines, oldest first', {
    given: async (fake) => {
      await web(fake)
      for (let line = 1; line <= 130; line += 1)
        fake.gateway.events.onOutput('web', line % 2 ? 'stdout' : 'stderr', `line ${line}`)
    },
    request: 'GET /api/v1beta/workloads/web/logs',
    answers: { status: 200, text: /^line 31\nline 32\n/, headers: { 'content-type': 'text/plain; charset=utf-8' } },
    afterwards: (_fake, { text }) => {
      expect(text.split('\n')).toHaveLength(101)
      expect(text).toMatch(/line 130\n$/)
    },
  })
  scenario('are empty before the first line', {
    given: web,
    request: 'GET /api/v1beta/workloads/web/logs',
    answers: { status: 200, text: /^$/ },
  })
  scenario('of an unknown workload', { request: 'GET /api/v1beta/workloads/ghost/logs', answers: { status: 404 } })
  scenario('go with the workload', {
    given: async (fake) => {
      await web(fake)
      fake.gateway.events.onOutput('web', 'stdout', 'old words')
      await done(fake, 'DELETE /api/v1beta/workloads/web')
      await web(fake)
    },
    request: 'GET /api/v1beta/workloads/web/logs',
    answers: { status: 200, notContain: ['old words'] },
  })
})

describe('pruning logs', () => {
  scenario('removes those of no workload and keeps the others, stopped ones included', {
    given: async (fake) => {
      await several(fake)
      for (const name of ['C', 'stopped', 'gone', 'Lost']) fake.logs.append(name, 'stdout', 'text')
    },
    request: 'POST /api/v1beta/logs/prune',
    answers: { status: 200, json: { removed: ['gone', 'lost'] } },
    afterwards: async (fake) => {
      expect(await fake.logs.names()).toEqual(expect.arrayContaining(['c', 'stopped']))
      expect(await fake.logs.names()).not.toEqual(expect.arrayContaining(['gone']))
      expect(fake.journal.entries.at(-1)).toMatchObject({ action: 'prune-logs', target: 'gone,lost' })
    },
  })
  scenario('with nothing to remove says so', {
    request: 'POST /api/v1beta/logs/prune',
    answers: { status: 200, json: { removed: [] } },
    afterwards: (fake) => expect(fake.journal.entries).toEqual([]),
  })
})

for (const path of ['', '/status', '/logs', '/logs/lines', '/export', '/logs/follow']) {
  for (const name of ['-x', 'a..b', '..%2f..%2fetc%2fpasswd', '%00', 'a%2Fb', '%FF', '%zz']) {
    scenario(`GET …/${name}${path} names the fault of the name`, {
      request: `GET /api/v1beta/workloads/${name}${path}`,
      answers: { status: 400, text: /^name: / },
    })
  }
}

describe('a file tree cannot be walked by names', () => {
  for (const path of [
    '/api/v1beta/workloads/../../../etc/passwd',
    '/api/v1beta//workloads',
    '/api/v1beta/workloads/',
  ]) {
    scenario(`GET ${path}`, { request: `GET ${path}`, answers: { status: 404, text: /^there is no such route/ } })
  }
})

describe('what was asked for', () => {
  scenario('is given back without defaults, and without values of headers that are keys', {
    given: async (fake) => {
      await done(fake, 'POST /api/v1beta/secrets', { provider_type: 'encrypted' })
      await done(fake, 'POST /api/v1beta/workloads', {
        name: 'far',
        url: 'https://mcp.example.com/mcp',
        headers: { Authorization: 'Bearer a-key', 'X-Region': 'eu' },
      })
      await done(fake, 'POST /api/v1beta/workloads/far/edit', { labels: { team: 'docs' } })
    },
    request: 'GET /api/v1beta/workloads/far/request',
    answers: {
      status: 200,
      json: {
        request: {
          name: 'far',
          url: 'https://mcp.example.com/mcp',
          headers: { 'X-Region': 'eu' },
          labels: { team: 'docs' },
        },
        hidden_headers: ['Authorization'],
        revision: expect.stringMatching(/^[\da-f]{16}$/),
      },
    },
  })
  scenario('is not found for an unknown workload', {
    request: 'GET /api/v1beta/workloads/ghost/request',
    answers: { status: 404, text: /ghost not found/ },
  })
})
