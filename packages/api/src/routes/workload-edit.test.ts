import { describe, expect, test } from 'vitest'
import { type FakeDaemon, startFakeDaemon } from '@toolhaven/fakes/fake-daemon'
import { done, scenario, send } from '@toolhaven/testing/scenario'

const EDIT = 'POST /api/v1beta/workloads/web/edit'
const FULL = {
  ...{ name: 'web', image: 'npx://web@1.0.0', proxy_port: 15_000, proxy_mode: 'sse', cmd_arguments: ['a', 'b'] },
  ...{
    env_vars: { A: '1' },
    volumes: ['/data/in:/in:ro'],
    tools: ['echo'],
    labels: { team: 'red' },
    resources: { memory_mb: 64 },
  },
  permission_profile: { name: 'none' },
}

const web = (fake: FakeDaemon) => done(fake, 'POST /api/v1beta/workloads', FULL)

async function details(fake: FakeDaemon): Promise<Record<string, unknown>> {
  return JSON.parse((await send(fake, 'GET /api/v1beta/workloads/web')).text)
}

async function revisionOf(fake: FakeDaemon): Promise<string> {
  return JSON.parse((await send(fake, 'GET /api/v1beta/workloads/web/request')).text).revision
}

describe('editing a workload', () => {
  for (const url of [
    ...['http://127.0.0.1:15000/mcp', 'http://localhost:15000/sse', 'http://LOCALHOST.:15000', 'http://[::1]:15000/'],
    ...['https://127.1:15000/mcp', 'http://[::ffff:127.0.0.1]:15000/mcp'],
  ]) {
    scenario(`to call itself at ${url} is refused, and changes nothing`, {
      given: (fake) =>
        done(fake, 'POST /api/v1beta/workloads', { name: 'web', url: 'http://127.0.0.1:9/mcp', proxy_port: 15_000 }),
      request: EDIT,
      body: { url },
      answers: { status: 400, text: /port 15000 of this machine, which belongs to web itself/ },
      afterwards: async (fake) => expect(await details(fake)).toMatchObject({ url: 'http://127.0.0.1:15000/mcp' }),
    })
  }

  scenario('to call another port of this machine is possible', {
    given: (fake) =>
      done(fake, 'POST /api/v1beta/workloads', { name: 'web', url: 'http://127.0.0.1:9/mcp', proxy_port: 15_000 }),
    request: EDIT,
    body: { url: 'http://127.0.0.1:15001/mcp' },
    answers: { status: 200 },
  })

  scenario('with target_port 0 clears it', {
    given: (fake) =>
      done(fake, 'POST /api/v1beta/workloads', { ...FULL, proxy_mode: '', transport: 'sse', target_port: 8000 }),
    request: EDIT,
    body: { target_port: 0, transport: 'stdio' },
    answers: { status: 200 },
    afterwards: async (fake) => {
      const { request } = JSON.parse((await send(fake, 'GET /api/v1beta/workloads/web/request')).text)
      expect(request).not.toHaveProperty('target_port')
    },
  })

  scenario('keeps what is left out, and the port, and runs a new instance', {
    given: web,
    request: EDIT,
    body: { env_vars: { B: '2' } },
    answers: { status: 200, json: { name: 'web', port: 15_000 } },
    afterwards: async (fake) => {
      expect(await details(fake)).toMatchObject({
        ...{
          status: 'running',
          port: 15_000,
          proxy_mode: 'sse',
          cmd_arguments: ['a', 'b'],
          env_vars: { B: '2' },
          tools: ['echo'],
        },
        ...{ labels: { team: 'red' }, volumes: ['/data/in:/in:ro'], resources: { memory_mb: 64 } },
        permission_profile: { name: 'none', network: { outbound: {} } },
      })
      expect(fake.runtime.instances.get('thv-web')?.handle.id).toBe('id-2')
      expect(fake.runtime.instances.get('thv-web')?.spec.env).toMatchObject({ B: '2' })
    },
  })

  const emptied = ['cmd_arguments', 'env_vars', 'volumes', 'resources']
  const cleared = (name: string, body: Record<string, unknown>) =>
    scenario(name, {
      given: web,
      request: EDIT,
      body,
      answers: { status: 200 },
      afterwards: async (fake) => {
        const now = await details(fake)
        for (const field of emptied) expect(now).not.toHaveProperty(field)
        expect(now).toMatchObject({ tools: [], labels: {}, proxy_mode: 'streamable-http', group: 'default' })
        expect(now).toMatchObject({ permission_profile: { name: 'network' }, status: 'running' })
      },
    })
  cleared('clears what is null', {
    ...{ cmd_arguments: null, env_vars: null, volumes: null, tools: null, labels: null, resources: null },
    ...{ permission_profile: null, proxy_mode: null, group: null, transport: null, target_port: null, host: null },
  })
  cleared('clears what is empty', {
    ...{ cmd_arguments: [], env_vars: {}, volumes: [], tools: [], labels: {}, resources: {} },
    ...{ permission_profile: {}, proxy_mode: '', group: '', transport: '' },
  })

  scenario('may repeat the name', { given: web, request: EDIT, body: { name: 'web' }, answers: { status: 200 } })

  scenario('makes a stopped workload wanted running', {
    given: async (fake) => {
      await web(fake)
      await done(fake, 'POST /api/v1beta/workloads/web/stop')
    },
    request: EDIT,
    body: {},
    answers: { status: 200 },
    afterwards: async (fake) => expect(await details(fake)).toMatchObject({ status: 'running' }),
  })

  scenario('gives a workload in error another chance at once', {
    given: async (fake) => {
      fake.runtime.missing.add('npx://web@1.0.0')
      await web(fake)
    },
    request: EDIT,
    body: { image: 'npx://web@2.0.0' },
    answers: { status: 200 },
    afterwards: async (fake) =>
      expect(await details(fake)).toMatchObject({ status: 'running', package: 'npx://web@2.0.0' }),
  })

  for (const [name, body, phases] of [
    ['that names the image again looks its version up again', { image: 'npx://web' }, ['resolving']],
    ['of something else keeps the version found before', { tools: ['echo'] }, []],
  ] as const) {
    const resolving: string[] = []
    scenario(name, {
      given: async (fake) => {
        await done(fake, 'POST /api/v1beta/workloads', { name: 'web', image: 'npx://web' })
        fake.daemon.events.subscribe(
          ({ progress }) => progress?.phase === 'resolving' && resolving.push(progress.phase),
        )
      },
      request: EDIT,
      body,
      answers: { status: 200 },
      afterwards: (fake) => {
        expect(resolving).toEqual(phases)
        expect(fake.workloadStore.records.get('web')?.resolved?.reference).toBe('npx://web@1.2.3')
      },
    })
  }

  scenario('keeps the registry entry it was made from', {
    given: (fake) => done(fake, 'POST /api/v1beta/workloads', { name: 'web', image: 'everything', tools: ['add'] }),
    request: EDIT,
    body: { tools: null },
    answers: { status: 200 },
    afterwards: async (fake) =>
      expect(await details(fake)).toMatchObject({ tools: [], cmd_arguments: ['stdio'], env_vars: { LEVEL: 'info' } }),
  })

  scenario('from a remote server to a package forgets the headers', {
    given: (fake) =>
      done(fake, 'POST /api/v1beta/workloads', {
        name: 'web',
        url: 'https://example.com/mcp',
        headers: { 'X-Team': 'red' },
      }),
    request: EDIT,
    body: { image: 'npx://web@1.0.0', transport: 'stdio' },
    answers: { status: 200 },
    afterwards: async (fake) => {
      expect(await details(fake)).not.toHaveProperty('headers')
      expect(await details(fake)).toMatchObject({ transport_type: 'stdio', status: 'running' })
    },
  })

  scenario('of a remote server keeps its headers', {
    given: (fake) =>
      done(fake, 'POST /api/v1beta/workloads', {
        name: 'web',
        url: 'https://example.com/mcp',
        headers: { 'X-Team': 'red' },
      }),
    request: EDIT,
    body: { labels: { a: 'b' } },
    answers: { status: 200 },
    afterwards: async (fake) =>
      expect(await details(fake)).toMatchObject({ headers: { 'X-Team': 'red' }, labels: { a: 'b' } }),
  })

  const HEADERS = { Authorization: 'Bearer canary', 'X-Team': 'red', 'X-Region': 'eu' }
  const withSecretHeader = async (fake: FakeDaemon) => {
    await done(fake, 'POST /api/v1beta/secrets', { provider_type: 'encrypted' })
    await done(fake, 'POST /api/v1beta/workloads', { name: 'web', url: 'https://example.com/mcp', headers: HEADERS })
  }
  const HIDDEN = { Authorization: 'web-header-authorization' }

  scenario('of some headers keeps those whose values are in the secret store', {
    given: withSecretHeader,
    request: EDIT,
    body: { headers: { 'X-Team': 'blue' } },
    answers: { status: 200 },
    afterwards: async (fake) => {
      expect(await details(fake)).toMatchObject({ headers: { 'X-Team': 'blue' }, headers_from_secrets: HIDDEN })
      expect(await fake.daemon.secrets.read('web-header-authorization')).toBe('Bearer canary')
    },
  })

  scenario('gives a header another secret, which it leaves as it is', {
    given: async (fake) => {
      await withSecretHeader(fake)
      await done(fake, 'POST /api/v1beta/secrets/default/keys', { key: 'mine', value: 'other' })
    },
    request: EDIT,
    body: { headers_from_secrets: { authorization: 'mine' } },
    answers: { status: 200 },
    afterwards: async (fake) =>
      expect(await details(fake)).toMatchObject({
        headers: { 'X-Team': 'red', 'X-Region': 'eu' },
        headers_from_secrets: { authorization: 'mine' },
      }),
  })

  scenario('gives a header that was a secret a new value, in whatever case it is written', {
    given: withSecretHeader,
    request: EDIT,
    body: { headers: { authorization: 'Bearer second' } },
    answers: { status: 200 },
    afterwards: async (fake) => {
      expect(await details(fake)).toMatchObject({ headers_from_secrets: { authorization: HIDDEN.Authorization } })
      expect(await fake.daemon.secrets.read('web-header-authorization')).toBe('Bearer second')
    },
  })

  scenario('takes secret headers away when it says so', {
    given: withSecretHeader,
    request: EDIT,
    body: { headers_from_secrets: null },
    answers: { status: 200 },
    afterwards: async (fake) => {
      expect(await details(fake)).not.toHaveProperty('headers_from_secrets')
      expect(await details(fake)).toMatchObject({ headers: { 'X-Team': 'red' } })
    },
  })

  scenario('to another server takes no header along', {
    given: withSecretHeader,
    request: EDIT,
    body: { url: 'https://example.org/mcp' },
    answers: { status: 200 },
    afterwards: async (fake) => {
      expect(await details(fake)).not.toHaveProperty('headers')
      expect(await details(fake)).not.toHaveProperty('headers_from_secrets')
    },
  })

  scenario('refuses a header that has a value and a secret', {
    given: withSecretHeader,
    request: EDIT,
    body: { headers: { 'x-key': 'a' }, headers_from_secrets: { 'X-Key': 'web-header-authorization' } },
    answers: { status: 400, text: /X-Key is set more than once/ },
  })

  scenario('refuses secret headers of a server that runs here', {
    given: web,
    request: EDIT,
    body: { headers_from_secrets: { 'X-Key': 'a' } },
    answers: { status: 400, text: /headers_from_secrets are only for remote servers/ },
  })

  test('of an older revision is refused, and changes nothing', async () => {
    using fake = await startFakeDaemon()
    await web(fake)
    const revision = () => revisionOf(fake)
    const shown = await revision()
    await done(fake, 'POST /api/v1beta/workloads/web/restart')
    expect(await revision()).toBe(shown)
    await done(fake, `${EDIT}?revision=${shown}`, { tools: ['sum'] })
    expect(await revision()).not.toBe(shown)
    const refused = await send(fake, `${EDIT}?revision=${shown}`, { body: { tools: ['add'] } })
    expect(refused.status).toBe(409)
    expect(await details(fake)).toMatchObject({ tools: ['sum'] })
  })

  test('at the same time as another one of the same revision loses neither silently', async () => {
    using fake = await startFakeDaemon()
    await web(fake)
    const revision = await revisionOf(fake)
    const edits = ['sum', 'add'].map((tool) => send(fake, `${EDIT}?revision=${revision}`, { body: { tools: [tool] } }))
    expect(new Set((await Promise.all(edits)).map(({ status }) => status))).toEqual(new Set([200, 409]))
  })

  scenario('moves it to another group, and its entry in client files with it', {
    given: async (fake) => {
      await web(fake)
      await done(fake, 'POST /api/v1beta/groups', { name: 'research' })
      await done(fake, 'POST /api/v1beta/clients', { name: 'cursor', groups: ['research'] })
      expect(fake.clientFiles.entries.get('Cursor')).toEqual(new Map())
    },
    request: EDIT,
    body: { group: 'research' },
    answers: { status: 200 },
    afterwards: (fake) =>
      expect([...(fake.clientFiles.entries.get('Cursor') ?? [])].map(([name]) => name)).toEqual(['web']),
  })
})

describe('an edit is refused', () => {
  const refused = (
    name: string,
    body: unknown,
    status: number,
    text: RegExp,
    given: (fake: FakeDaemon) => unknown = web,
  ) =>
    scenario(name, {
      given,
      request: EDIT,
      body,
      answers: { status, text },
      afterwards: (fake) => expect(fake.workloadStore.records.get('web')?.generation ?? 1).toBe(1),
    })
  refused('for an unknown workload', {}, 404, /^workload web not found/, () => undefined)
  refused('while it is removed', {}, 404, /being removed/, async (fake) => {
    await web(fake)
    fake.runtime.whileStopping = () => new Promise(() => {})
    await done(fake, 'DELETE /api/v1beta/workloads/web')
  })
  refused('with another name', { name: 'other' }, 400, /^name cannot be changed/)
  refused('with the name in another case', { name: 'WEB' }, 400, /^name cannot be changed/)
  refused('with a port', { proxy_port: 15_001 }, 400, /^unknown field proxy_port/)
  refused('without an image', { image: '' }, 400, /image is missing/)
  refused('with image and url', { image: 'npx://a', url: 'https://example.com' }, 400, /not both/)
  refused('with an unknown group', { group: 'ghosts' }, 404, /^group ghosts not found/)
  refused('with an unknown transport', { transport: 'x' }, 400, /^transport: /)
  refused('with inspector', { transport: 'inspector' }, 400, /inspector/)
  refused('as a network server without a port', { transport: 'sse', permission_profile: null }, 400, /target_port/)
  refused('with a bad volume', { volumes: ['/nowhere:/x'] }, 400, /volume/)
  refused('with a protected mount', { volumes: ['/:/x'] }, 400, /privileged/)
  refused('with a secret and no provider', { secrets: [{ name: 'k', target: 'K' }] }, 404, /no secrets provider/)
  refused('with a host that is not loopback', { host: '0.0.0.0' }, 400, /^host /)
  refused('with oidc that can check nothing', { oidc: { audience: 'x' } }, 400, /^oidc: set issuer or jwks_url/)
  refused(
    'to be observed, of a remote server',
    { image: null, url: 'https://mcp.example.com/mcp', permission_profile: null, network_isolation_mode: 'observe' },
    400,
    /^network_isolation_mode observe is only for servers that run here/,
  )
  refused('with an unknown field', { toolz: ['echo'] }, 400, /^unknown field toolz/)
  refused('with tools the registry entry lacks', { tools: ['fly'] }, 400, /no tool fly/, (fake) =>
    done(fake, 'POST /api/v1beta/workloads', { name: 'web', image: 'everything' }),
  )
  refused('without required variables', { env_vars: null }, 400, /needs API_KEY \(a secret\), REGION/, (fake) =>
    done(fake, 'POST /api/v1beta/workloads', {
      name: 'web',
      image: 'needs-key',
      env_vars: { API_KEY: 'x', REGION: 'y' },
    }),
  )
  for (const name of ['-rf', 'a..b', '%2e%2e%2fx', '%00', 'a%0ab', '%C3%A4']) {
    scenario(`under the name ${name}`, {
      request: `POST /api/v1beta/workloads/${name}/edit`,
      body: {},
      answers: { status: 400, text: /^name: / },
    })
  }
})
