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
