import { describe, expect, test } from 'vitest'
import { type FakeDaemon, startFakeDaemon } from '@toolhaven/fakes/fake-daemon'
import { settle } from '@toolhaven/fakes/manual-clock'
import { ask, done, scenario, send } from '@toolhaven/testing/scenario'

const CREATE = 'POST /api/v1beta/workloads'
const WEB = { name: 'web', image: 'npx://web@1.0.0' }
const OIDC = { issuer: 'https://id.example.com', audience: 'https://mcp.example.com' }

const details = async (fake: FakeDaemon, name: string) => {
  const { text } = await send(fake, `GET /api/v1beta/workloads/${name}`)
  const value: unknown = JSON.parse(text)
  return value
}

describe('creating a workload', () => {
  scenario('answers with name and port at once and runs it behind', {
    request: CREATE,
    body: WEB,
    answers: { status: 201, matches: { name: 'web' } },
    afterwards: async (fake, { text }) => {
      const { port } = JSON.parse(text)
      expect(port).toBeGreaterThanOrEqual(10_000)
      expect(port).toBeLessThanOrEqual(32_767)
      expect(await details(fake, 'web')).toMatchObject({
        ...{
          name: 'web',
          status: 'running',
          group: 'default',
          tool_type: 'mcp',
          transport_type: 'stdio',
          proxy_mode: 'streamable-http',
          remote: false,
          tools: [],
          labels: {},
        },
        ...{ package: 'npx://web@1.0.0', image: 'npx://web@1.0.0', port, url: `http://127.0.0.1:${port}/mcp` },
        ...{ created_at: '2026-01-01T00:00:00Z', network_isolation: false },
        status_context: expect.stringContaining('no permission profile was given'),
      })
      expect(fake.journal.entries).toMatchObject([{ action: 'create', target: 'web' }])
    },
  })

  scenario('that asks its callers who they are keeps the client secret to itself', {
    given: (fake) => done(fake, 'POST /api/v1beta/secrets', { provider_type: 'encrypted' }),
    request: CREATE,
    body: { ...WEB, oidc: { ...OIDC, client_id: 'web', client_secret: 'canary-of-oidc' } },
    answers: { status: 201, matches: { name: 'web' } },
    afterwards: async (fake) => {
      await settle()
      const shown = { ...OIDC, client_id: 'web', client_secret: 'web-oidc-client-secret' }
      expect(await details(fake, 'web')).toMatchObject({ status: 'running', oidc: shown })
      expect(JSON.stringify(fake.workloadStore.records.get('web'))).not.toContain('canary-of-oidc')
      expect(fake.gateway.endpoints.get('web')?.authentication).toMatchObject({
        issuer: OIDC.issuer,
        clientSecret: 'canary-of-oidc',
      })
      await done(fake, 'POST /api/v1beta/workloads/web/edit', { labels: { team: 'docs' } })
      await settle()
      expect(fake.gateway.endpoints.get('web')?.authentication).toMatchObject({ clientSecret: 'canary-of-oidc' })
      const { text } = await send(fake, 'GET /api/v1beta/workloads/web/export')
      expect(JSON.parse(text)).toMatchObject({ oidc_config: { clientSecret: 'web-oidc-client-secret' } })
      expect(text).not.toContain('canary-of-oidc')
      await done(fake, 'POST /api/v1beta/workloads/web/edit', { oidc: null })
      await settle()
      expect(fake.gateway.endpoints.get('web')).not.toHaveProperty('authentication')
    },
  })

  scenario('that asks its callers who they are may be bound to an allowed address', {
    given: (fake) => fake.daemon.settings.config.update((config) => ({ ...config, allowedHosts: ['192.168.1.5'] })),
    request: CREATE,
    body: { ...WEB, host: '192.168.1.5', oidc: OIDC },
    answers: { status: 201, matches: { name: 'web' } },
    afterwards: async (fake) =>
      expect(await details(fake, 'web')).toMatchObject({ url: expect.stringMatching(/^http:\/\/192\.168\.1\.5:/) }),
  })

  scenario('of a registry server takes what the request leaves out from the entry', {
    request: CREATE,
    body: { image: 'everything' },
    answers: { status: 201, matches: { name: 'everything' } },
    afterwards: async (fake) => {
      expect(await details(fake, 'everything')).toMatchObject({
        ...{ package: 'npx://everything@1.0.0', cmd_arguments: ['stdio'], env_vars: { LEVEL: 'info' } },
        permission_profile: { network: { outbound: { allow_host: ['example.com'], allow_port: [443] } } },
        status_context: '',
      })
      const rules = { allowHost: ['example.com'], allowPort: [443], allowAll: false }
      expect(fake.egress.rules.get('everything')).toEqual(rules)
    },
  })

  scenario('with network isolation has a way out that leads to no private address', {
    request: CREATE,
    body: { ...WEB, network_isolation: true, transport: 'sse', target_port: 8000 },
    answers: { status: 201, matches: { name: 'web' } },
    afterwards: async (fake) => {
      expect(await details(fake, 'web')).toMatchObject({
        network_isolation: true,
        status: 'running',
        status_context: '',
      })
      expect(fake.runtime.instances.get('thv-web')?.spec.network).toMatchObject({ folder: '/egress/web' })
      expect(fake.egress.rules.get('web')).toEqual({ allowHost: [], allowPort: [], allowAll: true, targetPort: 8000 })
    },
  })

  scenario('of a registry server keeps what the request says', {
    request: CREATE,
    body: {
      image: 'everything',
      cmd_arguments: ['loud'],
      env_vars: { LEVEL: 'debug' },
      tools: ['add'],
      permission_profile: { name: 'none' },
    },
    answers: { status: 201 },
    afterwards: async (fake) => {
      expect(await details(fake, 'everything')).toMatchObject({
        ...{ cmd_arguments: ['loud'], env_vars: { LEVEL: 'debug' }, tools: ['add'] },
        permission_profile: { name: 'none', network: { outbound: {} } },
        status_context: '',
      })
      expect(fake.runtime.instances.get('thv-everything')?.spec.network).toBe('none')
    },
  })

  scenario('of a remote registry server runs no instance and shows our own url', {
    request: CREATE,
    body: { image: 'com.example/docs' },
    answers: { status: 201, matches: { name: 'docs' } },
    afterwards: async (fake, { text }) => {
      const { port } = JSON.parse(text)
      expect(fake.runtime.instances.size).toBe(0)
      expect(await details(fake, 'docs')).toMatchObject({
        status: 'running',
        transport_type: 'streamable-http',
        url: `http://127.0.0.1:${port}/mcp`,
      })
    },
  })

  scenario('of a remote server by its url', {
    request: CREATE,
    body: { url: 'https://mcp.search.example.com/mcp', transport: 'sse' },
    answers: { status: 201, matches: { name: 'search' } },
    afterwards: async (fake, { text }) => {
      const { port } = JSON.parse(text)
      expect(await details(fake, 'search')).toMatchObject({
        transport_type: 'sse',
        url: `http://127.0.0.1:${port}/sse`,
      })
    },
  })

  scenario('without a name takes the next free one', {
    given: async (fake) => {
      await done(fake, CREATE, { image: 'uvx://fetch' })
      await done(fake, CREATE, { image: 'uvx://fetch' })
    },
    request: CREATE,
    body: { image: 'registry.example.com:5000/tools/fetch:1.2@sha256:' + 'a'.repeat(64) },
    answers: { status: 201, matches: { name: 'fetch-3' } },
    afterwards: async (fake) => {
      expect([...fake.workloadStore.records.keys()].toSorted()).toEqual(['fetch', 'fetch-2', 'fetch-3'])
    },
  })

  scenario('from a package without a version looks it up once and keeps it', {
    request: CREATE,
    body: { name: 'web', image: 'npx://@scope/web' },
    answers: { status: 201 },
    afterwards: async (fake) => {
      expect(fake.workloadStore.records.get('web')?.resolved).toMatchObject({ reference: 'npx://@scope/web@1.2.3' })
      expect(await details(fake, 'web')).toMatchObject({ package: 'npx://@scope/web' })
    },
  })

  for (const proxy_mode of ['sse', 'streamable-http'] as const) {
    scenario(`with proxy_mode ${proxy_mode} shows the url of that mode`, {
      request: CREATE,
      body: { ...WEB, proxy_mode },
      answers: { status: 201 },
      afterwards: async (fake) => {
        const path = proxy_mode === 'sse' ? '/sse' : '/mcp'
        expect(await details(fake, 'web')).toMatchObject({ proxy_mode, url: expect.stringMatching(`${path}$`) })
      },
    })
  }

  scenario('of a native sse server has the path of its transport whatever proxy_mode says', {
    request: CREATE,
    body: { ...WEB, transport: 'sse', target_port: 8000, proxy_mode: 'streamable-http' },
    answers: { status: 201 },
    afterwards: async (fake) => {
      expect(await details(fake, 'web')).toMatchObject({
        transport_type: 'sse',
        target_port: 8000,
        url: expect.stringMatching('/sse$'),
      })
    },
  })

  scenario('with an empty text for transport, proxy_mode, host and group takes the defaults', {
    request: CREATE,
    body: { ...WEB, transport: '', proxy_mode: '', host: '', group: '' },
    answers: { status: 201 },
    afterwards: async (fake) => {
      expect(await details(fake, 'web')).toMatchObject({
        transport: 'stdio',
        proxy_mode: 'streamable-http',
        host: '127.0.0.1',
        group: 'default',
      })
    },
  })

  scenario('at a port that was asked for', {
    request: CREATE,
    body: { ...WEB, proxy_port: 12_345 },
    answers: { status: 201, json: { name: 'web', port: 12_345 } },
  })

  scenario('mounts volumes with links resolved', {
    request: CREATE,
    body: { ...WEB, volumes: ['/data/in:/in:ro', '/data/out:/out'] },
    answers: { status: 201 },
    afterwards: (fake) => {
      expect(fake.runtime.instances.get('thv-web')?.spec.mounts).toEqual([
        { hostPath: '/data/in', containerPath: '/in', readOnly: true, identity: '1:/data/in' },
        { hostPath: '/data/out', containerPath: '/out', readOnly: false, identity: '1:/data/out' },
      ])
    },
  })

  for (const volume of [
    '/:/host',
    '/link-to-root:/host',
    '/run/engine.sock:/run/engine.sock',
    '/data/toolhaven-state:/s',
    '/data:/d',
  ]) {
    scenario(`mounts ${volume} with privileged in the profile`, {
      request: CREATE,
      body: {
        ...WEB,
        volumes: [volume],
        permission_profile: { privileged: true, network: { outbound: { insecure_allow_all: true } } },
      },
      answers: { status: 201 },
      afterwards: (fake) => expect(fake.runtime.instances.get('thv-web')?.spec.mounts).toHaveLength(1),
    })
    scenario(`refuses to mount ${volume} otherwise`, {
      request: CREATE,
      body: { ...WEB, volumes: [volume] },
      answers: { status: 400, text: /^volume .*privileged/, notContain: ['expose /'] },
      afterwards: (fake) => expect(fake.workloadStore.records.size).toBe(0),
    })
  }

  scenario('gives secrets to the server as variables and shows their names only', {
    given: async (fake) => {
      await done(fake, 'POST /api/v1beta/secrets', { provider_type: 'encrypted' })
      await done(fake, 'POST /api/v1beta/secrets/default/keys', { key: 'key one', value: 'very-secret-value' })
    },
    request: CREATE,
    body: { image: 'needs-key', env_vars: { REGION: 'eu' }, secrets: [{ name: 'key one', target: 'API_KEY' }] },
    answers: { status: 201, matches: { name: 'needs-key' } },
    afterwards: async (fake) => {
      expect(fake.runtime.instances.get('thv-needs-key')?.spec.env).toMatchObject({
        API_KEY: 'very-secret-value',
        REGION: 'eu',
      })
      const shown = await details(fake, 'needs-key')
      expect(shown).toMatchObject({ secrets: [{ name: 'key one', target: 'API_KEY' }] })
      expect(JSON.stringify(shown)).not.toContain('very-secret-value')
    },
  })

  scenario('that cannot start is an error with the reason, not a failed create', {
    given: (fake) => fake.runtime.missing.add('npx://web@1.0.0'),
    request: CREATE,
    body: WEB,
    answers: { status: 201 },
    afterwards: async (fake) =>
      expect(await details(fake, 'web')).toMatchObject({
        status: 'error',
        status_context: expect.stringContaining('not found'),
      }),
  })

  scenario('shows how far the pull is', {
    given: (fake) => {
      fake.runtime.whilePreparing = () => new Promise(() => {})
    },
    request: CREATE,
    body: WEB,
    answers: { status: 201 },
    afterwards: async (fake) =>
      expect(await details(fake, 'web')).toMatchObject({
        status: 'starting',
        status_context: 'pulling npx://web@1.0.0, 43 %',
      }),
  })
})

describe('a create is refused', () => {
  const refused = (name: string, body: unknown, status: number, text: RegExp, given?: (fake: FakeDaemon) => unknown) =>
    scenario(name, {
      ...(given && { given }),
      request: CREATE,
      body,
      answers: { status, text },
      afterwards: (fake) => expect([...fake.workloadStore.records.keys()].filter((key) => key !== 'taken')).toEqual([]),
    })
  const taken = (fake: FakeDaemon) => done(fake, CREATE, { ...WEB, name: 'taken', proxy_port: 20_000 })

  for (const name of ['', '-rf', '.hidden', 'a..b', 'a/b', '../x', 'a b', 'ä', 'x'.repeat(101), 'a\n', 'a\u0000']) {
    refused(`with the name ${JSON.stringify(name)}`, { ...WEB, name }, 400, /^name: /)
  }
  refused('with a name that exists', { ...WEB, name: 'taken' }, 409, /^workload taken already exists/, taken)
  refused('with a name that exists in another case', { ...WEB, name: 'TAKEN' }, 409, /already exists/, taken)
  refused('at a port of another workload', { ...WEB, proxy_port: 20_000 }, 409, /20000/, taken)
  refused('at a port of another program', { ...WEB, proxy_port: 20_001 }, 409, /20001/, (fake) =>
    fake.gateway.takenPorts.add(20_001),
  )
  refused('while the old one is removed', { ...WEB, name: 'taken' }, 409, /still being removed/, async (fake) => {
    await taken(fake)
    fake.runtime.whileStopping = () => new Promise(() => {})
    await done(fake, 'DELETE /api/v1beta/workloads/taken')
  })
  refused('in an unknown group', { ...WEB, group: 'ghosts' }, 404, /^group ghosts not found/)
  refused('in a malformed group', { ...WEB, group: 'Upper' }, 400, /^group: .*lower case/)
  refused('with an unknown transport', { ...WEB, transport: 'carrier-pigeon' }, 400, /^transport: /)
  refused('with the transport inspector', { ...WEB, transport: 'inspector' }, 400, /inspector/)
  refused('with an unknown proxy_mode', { ...WEB, proxy_mode: 'stdio' }, 400, /^proxy_mode: /)
  refused('with stdio for a remote server', { url: 'https://example.com/mcp', transport: 'stdio' }, 400, /remote/)
  refused('with neither image nor url', { name: 'web' }, 400, /image/)
  refused('with both image and url', { ...WEB, url: 'https://example.com' }, 400, /not both/)
  for (const url of [
    'ftp://example.com',
    'file:///etc/passwd',
    'nonsense',
    'https://user:pw@example.com/mcp',
    'http://',
  ]) {
    refused(`with the url ${url}`, { url }, 400, /^url /)
  }
  for (const image of [
    'UPPER',
    '--privileged',
    '../x',
    'a b',
    'x:',
    'x@sha256:12',
    'http://x/y',
    'a//b',
    'x;rm',
    'docker.io/',
    'a'.repeat(600),
  ]) {
    refused(`with the image ${image.slice(0, 30)}`, { image }, 400, /^image "/)
  }
  for (const image of ['npx://', 'npx://-x', 'npx://a b', 'uvx://x@latest@1', 'go://nodot', 'npx://x@^1.0.0']) {
    refused(`with the package ${image}`, { image }, 400, /write (it|one) like/)
  }
  for (const target_port of [-1, 0, 65_536, 1.5, '80', null]) {
    refused(
      `with the target_port ${JSON.stringify(target_port)}`,
      { ...WEB, transport: 'sse', target_port },
      400,
      /^target_port: /,
    )
  }
  refused('as a network server without target_port', { ...WEB, transport: 'sse' }, 400, /^target_port is missing/)
  for (const volume of [
    '/data',
    '/data:relative',
    '/data:/x:rx',
    '/data:/x:ro:z',
    'relative:/x',
    ':/x',
    '/data:',
    '/data/x:/a/../b',
    '/nowhere:/x',
    '',
  ]) {
    refused(`with the volume ${JSON.stringify(volume)}`, { ...WEB, volumes: [volume] }, 400, /volume/)
  }
  refused(
    'with a protected path in the profile',
    { ...WEB, permission_profile: { write: ['/:/host'], network: {} } },
    400,
    /privileged/,
  )
  refused(
    'with an unknown built-in profile',
    { ...WEB, permission_profile: { name: 'lax' } },
    400,
    /no built-in profile/,
  )
  refused(
    'with a secret and no provider',
    { ...WEB, secrets: [{ name: 'k', target: 'K' }] },
    404,
    /no secrets provider/,
  )
  refused(
    'with unknown secrets, all named',
    {
      ...WEB,
      secrets: [
        { name: 'k', target: 'K' },
        { name: 'l', target: 'L' },
      ],
    },
    404,
    /secret k, l not found/,
    (fake) => done(fake, 'POST /api/v1beta/secrets', { provider_type: 'encrypted' }),
  )
  for (const target of ['', '1A', 'A-B', 'A B', 'A=B']) {
    refused(
      `with the secret target ${JSON.stringify(target)}`,
      { ...WEB, secrets: [{ name: 'k', target }] },
      400,
      /^secrets\.0\.target: /,
    )
  }
  refused(
    'without required variables, all named',
    { image: 'needs-key' },
    400,
    /^needs-key needs API_KEY \(a secret\), REGION/,
  )
  refused(
    'without one required variable',
    { image: 'needs-key', env_vars: { REGION: 'eu' } },
    400,
    /^needs-key needs API_KEY \(a secret\):/,
  )
  refused(
    'with tools the entry does not have',
    { image: 'everything', tools: ['echo', 'fly', 'swim'] },
    400,
    /no tool fly, swim; it has echo, add/,
  )
  for (const host of ['0.0.0.0', '::', '192.168.1.5', 'example.com', '127.0.0.1.example.com']) {
    refused(`with the host ${host}`, { ...WEB, host }, 400, /^host /, (fake) => {
      fake.gateway.isPortFree = async (address) => {
        throw new Error(`the address ${address} was tried before it was checked`)
      }
    })
  }
  refused('with an allowed host but without oidc', { ...WEB, host: '192.168.1.5' }, 400, /oidc/, (fake) =>
    fake.daemon.settings.config.update((config) => ({ ...config, allowedHosts: ['192.168.1.5'] })),
  )
  for (const oidc of [{ audience: 'x' }, { introspection_url: 'https://id.example.com/' }])
    refused(`with oidc ${JSON.stringify(oidc)}`, { ...WEB, oidc }, 400, /^oidc: set issuer or jwks_url/)
  for (const issuer of ['id', 'ftp://id.example.com', 'https://a:b@id.example.com', 'https://id.example.com/#x'])
    refused(`with the issuer ${issuer}`, { ...WEB, oidc: { issuer } }, 400, /^oidc: issuer must be an https address/)
  refused('with an issuer without https', { ...WEB, oidc: { issuer: 'http://id.example.com' } }, 400, /must use https/)
  refused(
    'with a client secret and no client',
    { ...WEB, oidc: { issuer: 'https://id.example.com', client_secret: 'x' } },
    400,
    /^oidc: client_secret needs client_id/,
  )
  refused(
    'with a client secret and no provider of secrets',
    { ...WEB, oidc: { issuer: 'https://id.example.com', client_id: 'a', client_secret: 'hunter2' } },
    404,
    /^(?!.*hunter2).*no secrets provider/,
  )
  refused('with an unknown field', { ...WEB, imagee: 'x' }, 400, /^unknown field imagee/)
  for (const value of [true, 0, 1, 'x', [''], { a: null }])
    refused(`with ${JSON.stringify(value)} in an unknown field`, { ...WEB, newer: value }, 400, /^unknown field newer/)
  refused('with one unknown field of two that asks for something', { ...WEB, a: '', b: 1 }, 400, /^unknown field b\n$/)
  for (const value of [false, '', [], {}, null]) {
    scenario(`ignores ${JSON.stringify(value)} in unknown fields, which asks for nothing`, {
      request: CREATE,
      body: { ...WEB, newer: value, permission_profile: { name: 'none', newer: value } },
      answers: { status: 201 },
      afterwards: (fake) => expect(JSON.stringify([...fake.workloadStore.records.values()])).not.toContain('newer'),
    })
  }
  refused(
    'with an unknown inner field',
    { ...WEB, permission_profile: { nam: 'none' } },
    400,
    /^permission_profile: unknown field nam/,
  )
  refused(
    'with wrong types, each named',
    { image: 1, env_vars: [], tools: 'x' },
    400,
    /^image: .*; env_vars: .*; tools: /,
  )
  refused('with a bad variable name', { ...WEB, env_vars: { 'A-B': 'x' } }, 400, /^env_vars/)
  refused('with headers for an image', { ...WEB, headers: { 'X-A': 'b' } }, 400, /headers/)

  refused(
    'with a server for each session that keeps sessions itself',
    { ...WEB, session_mode: 'isolated', transport: 'sse', target_port: 8000 },
    400,
    /session_mode isolated is only for stdio servers/,
  )
  refused(
    'with a remote server for each session',
    { name: 'far', url: 'https://mcp.example.com/mcp', session_mode: 'isolated' },
    400,
    /this one is remote/,
  )
  refused(
    'with a number of sessions for a shared server',
    { ...WEB, session_mode: 'shared', limits: { max_sessions: 3, session_idle_seconds: 60 } },
    400,
    /limits\.max_sessions, limits\.session_idle_seconds needs session_mode auto or isolated/,
  )
  refused(
    'with a number of servers for an HTTP server',
    { ...WEB, transport: 'sse', target_port: 8000, limits: { max_sessions: 3, session_idle_seconds: 60 } },
    400,
    /limits\.max_sessions is only for stdio servers/,
  )

  refused(
    'with the address of a collector that has a scheme',
    { ...WEB, telemetry_config: { endpoint: 'http://localhost:4318' } },
    400,
    /^telemetry_config: endpoint takes host:port/,
  )
  refused(
    'with a sampling rate over 1',
    { ...WEB, telemetry_config: { samplingRate: 1.1 } },
    400,
    /^telemetry_config\.samplingRate: /,
  )
  refused('when the disk is full, with 500 and nothing kept', WEB, 500, /^internal server error/, (fake) => {
    fake.workloadStore.failWith = new Error('ENOSPC: no space left on device, write /var/lib/x')
  })
})

test('creates at once at one port: one wins', async () => {
  using fake = await startFakeDaemon()
  const answers = await Promise.all(
    ['a', 'b', 'c'].map((name) => ask(fake, CREATE, { body: { ...WEB, name, proxy_port: 23_456 } })),
  )
  expect(answers.map(({ status }) => String(status)).toSorted()).toEqual(['201', '409', '409'])
})

test('150 creates at once have 150 names and 150 ports', async () => {
  using fake = await startFakeDaemon()
  const answers = await Promise.all(
    Array.from({ length: 150 }, () => ask(fake, CREATE, { body: { image: 'npx://web@1.0.0' } })),
  )
  const bodies = await Promise.all(answers.map(async (answer) => answer.json()))
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]))
  expect(new Set(bodies.map(({ name }) => name)).size).toBe(150)
  expect(new Set(bodies.map(({ port }) => port)).size).toBe(150)
  await settle()
})
