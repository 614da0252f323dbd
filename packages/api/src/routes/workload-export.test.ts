import { describe, expect } from 'vitest'
import type { FakeDaemon } from '@toolhaven/fakes/fake-daemon'
import { done, scenario, send } from '@toolhaven/testing/scenario'

const exported = async (fake: FakeDaemon, name = 'web'): Promise<Record<string, unknown>> =>
  JSON.parse((await send(fake, `GET /api/v1beta/workloads/${name}/export`)).text)

const secrets = async (fake: FakeDaemon) => {
  await done(fake, 'POST /api/v1beta/secrets', { provider_type: 'encrypted' })
  await done(fake, 'POST /api/v1beta/secrets/default/keys', { key: 'token', value: 'canary-of-the-export' })
}

const DERIVED = [
  { type: 'guard', parameters: {} },
  { type: 'limits', parameters: {} },
  { type: 'mcp-parser', parameters: {} },
]

describe('export', () => {
  scenario('has the schema version, what is in force, and no empty key', {
    given: (fake) =>
      done(fake, 'POST /api/v1beta/workloads', {
        name: 'web',
        image: 'npx://web@1.0.0',
        proxy_port: 15_000,
        tools: ['echo'],
      }),
    request: 'GET /api/v1beta/workloads/web/export',
    answers: {
      status: 200,
      json: {
        ...{
          schema_version: 'v0.1.0',
          name: 'web',
          image: 'npx://web@1.0.0',
          transport: 'stdio',
          host: '127.0.0.1',
          port: 15_000,
        },
        ...{ proxy_mode: 'streamable-http', group: 'default', tools_filter: ['echo'], container_name: 'thv-web' },
        permission_profile: { name: 'network', network: { outbound: { insecure_allow_all: true } } },
        network_mode: 'isolated',
        middleware_configs: [...DERIVED, { type: 'tool-filter', parameters: { filter_tools: ['echo'] } }],
      },
    },
  })
  scenario('names secrets and never their values', {
    given: async (fake) => {
      await secrets(fake)
      await done(fake, 'POST /api/v1beta/workloads', {
        name: 'web',
        image: 'npx://web@1.0.0',
        secrets: [{ name: 'token', target: 'TOKEN' }],
      })
    },
    request: 'GET /api/v1beta/workloads/web/export',
    answers: { status: 200, matches: { secrets: ['token,target=TOKEN'] }, notContain: ['canary-of-the-export'] },
  })
  scenario('of an unknown workload', { request: 'GET /api/v1beta/workloads/ghost/export', answers: { status: 404 } })
})

const ROUND_TRIPS: [string, object][] = [
  ['a package', { image: 'npx://web' }],
  ['one on the network of the machine', { image: 'npx://web@1.0.0', network_mode: 'host' }],
  ['one that is observed', { image: 'npx://web@1.0.0', network_isolation_mode: 'observe' }],
  [
    'who may call',
    {
      image: 'npx://web@1.0.0',
      oidc: {
        ...{ issuer: 'http://127.0.0.1:9', audience: 'web', client_id: 'web', client_secret: 'token' },
        ...{
          introspection_url: 'http://127.0.0.1:9/ask',
          resource_url: 'https://web.example.com',
          allow_private_ip: true,
        },
      },
    },
  ],
  [
    'network isolation with a list',
    {
      image: 'npx://web',
      network_isolation: true,
      permission_profile: { network: { outbound: { allow_host: ['example.com'], allow_port: [443] } } },
    },
  ],
  ['an image', { image: 'registry.example.com/tools/web:1', transport: 'sse', target_port: 8000 }],
  [
    'telemetry',
    {
      image: 'npx://web@1.0.0',
      telemetry_config: {
        ...{ endpoint: 'localhost:4318', insecure: true, headers: { 'X-Key': 'k' }, samplingRate: 0.5 },
        ...{ serviceName: 'web', serviceVersion: '1', environmentVariables: ['REGION'] },
        enablePrometheusMetricsPath: true,
      },
    },
  ],
  [
    'everything a request can say',
    {
      ...{
        image: 'npx://web@1.0.0',
        proxy_port: 15_000,
        host: '::1',
        proxy_mode: 'sse',
        cmd_arguments: ['a', ''],
        env_vars: { A: '' },
      },
      ...{
        volumes: ['/data/in:/in:ro', '/data/out:/out'],
        tools: ['echo'],
        secrets: [{ name: 'token', target: 'TOKEN' }],
        ignore_config: { loadGlobal: false, printOverlays: true },
      },
      ...{ labels: { team: 'red' }, resources: { memory_mb: 64, cpus: 0.5, pids: 32 } },
      permission_profile: { name: 'mine', read: ['/data/r'], write: ['/data/w:/w'], network: { outbound: {} } },
    },
  ],
  ['a registry server with an allow-list', { image: 'everything' }],
  [
    'a registry server with filters and arguments',
    { image: 'everything', tools: ['add'], cmd_arguments: ['x'], env_vars: { MORE: '1' } },
  ],
  ['a registry server with its own profile', { image: 'everything', permission_profile: { name: 'none' } }],
  [
    'a registry server with required variables',
    { image: 'needs-key', env_vars: { REGION: 'eu' }, secrets: [{ name: 'token', target: 'API_KEY' }] },
  ],
  ['a remote server', { url: 'https://example.com/mcp', headers: { 'X-Team': 'red' } }],
  [
    'a remote server with a secret header',
    { url: 'https://example.com/mcp', headers: { Authorization: 'Bearer canary-of-the-export' } },
  ],
  ['a remote registry server', { image: 'com.example/docs' }],
  ['a workload in a group', { image: 'npx://web@1.0.0', group: 'research' }],
]

describe('what was exported is imported and exported again unchanged', () => {
  for (const [what, fields] of ROUND_TRIPS) {
    let before: Record<string, unknown> = {}
    scenario(what, {
      given: async (fake) => {
        await secrets(fake)
        await done(fake, 'POST /api/v1beta/groups', { name: 'research' })
        await done(fake, 'POST /api/v1beta/workloads', { name: 'web', ...fields })
        before = await exported(fake)
        await done(fake, 'DELETE /api/v1beta/workloads/web')
        expect(fake.workloadStore.records.size).toBe(0)
        // The secret that was made from the request went with the workload; an export has its name only.
        if (what.includes('secret header'))
          await done(fake, 'POST /api/v1beta/secrets/default/keys', {
            key: 'web-header-authorization',
            value: 'Bearer canary-of-the-export',
          })
        const confirmed = 'accept_network=true&accept_mounts=true&accept_secrets=true'
        await done(fake, `POST /api/v1beta/workloads/import?${confirmed}`, before)
      },
      request: 'GET /api/v1beta/workloads/web/export',
      answers: { status: 200, notContain: ['canary-of-the-export'] },
      afterwards: async (fake, { text }) => {
        expect(JSON.parse(text)).toEqual(before)
        expect(JSON.parse((await send(fake, 'GET /api/v1beta/workloads/web/status')).text)).toEqual({
          status: 'running',
        })
      },
    })
  }
})

describe('import', () => {
  const CONFIG = { schema_version: 'v0.1.0', name: 'web', image: 'npx://web@1.0.0', transport: 'stdio' }
  scenario('answers as create does', {
    request: 'POST /api/v1beta/workloads/import',
    body: { ...CONFIG, port: 15_000 },
    answers: { status: 201, json: { name: 'web', port: 15_000 } },
  })
  const refused = (name: string, fields: object, status: number, text: RegExp, given?: (fake: FakeDaemon) => unknown) =>
    scenario(`is refused ${name}`, {
      ...(given && { given }),
      request: 'POST /api/v1beta/workloads/import?accept_secrets=true',
      body: { ...CONFIG, ...fields },
      answers: { status, text },
      afterwards: (fake) => expect(fake.workloadStore.records.size).toBe(given ? fake.workloadStore.records.size : 0),
    })
  scenario('is refused with secrets that nobody confirmed, wherever they go', {
    given: secrets,
    request: 'POST /api/v1beta/workloads/import',
    body: {
      ...CONFIG,
      secrets: ['k,target=K'],
      oidc_config: { issuer: 'https://id.example.com', authTokenFile: 'token.txt' },
    },
    answers: { status: 400, text: /asks for your secrets: k, token\.txt; .*accept_secrets=true \(--accept-secrets\)/ },
    afterwards: (fake) => expect(fake.workloadStore.records.size).toBe(0),
  })
  const existing = (fake: FakeDaemon) =>
    done(fake, 'POST /api/v1beta/workloads', { name: 'web', image: 'npx://x', proxy_port: 15_000 })
  refused('with the network of the machine', { network_mode: 'host' }, 400, /network_mode host.*accept_network/)
  refused('with mounts', { volumes: ['/data/in:/in'] }, 400, /\/data\/in:\/in; .*accept_mounts/)
  refused('while the name is taken', {}, 409, /already exists/, existing)
  refused('while the port is taken', { name: 'other', port: 15_000 }, 409, /15000/, existing)
  refused('with another schema version', { schema_version: 'v9' }, 400, /^schema_version: /)
  refused('with an unknown field', { imagee: 'x' }, 400, /unknown field imagee/)
  refused('in an unknown group', { group: 'ghosts' }, 404, /^group ghosts/)
  refused('with a malformed name', { name: '../x' }, 400, /^name: /)
  refused('with a secret and no provider', { secrets: ['k,target=K'] }, 404, /no secrets provider/)
  refused('with a malformed secret', { secrets: ['k;target=K'] }, 400, /^secrets\.0: /)
  refused(
    'with an unknown secret for a header',
    {
      image: undefined,
      remote_url: 'https://example.com/mcp',
      transport: 'sse',
      remote_auth_config: { headers_from_secrets: { 'X-Key': 'gone' } },
    },
    404,
    /secret gone not found/,
    secrets,
  )
  const remote = { image: undefined, remote_url: 'https://example.com/mcp', transport: 'sse' }
  refused(
    'with a header that is two',
    { ...remote, remote_auth_config: { headers: { 'X-A': 'b\r\nX-C: d' } } },
    400,
    /control characters/,
  )
  refused('with a label no engine takes', { container_labels: { '=': 'x' } }, 400, /^container_labels/)
  refused(
    'with a middleware of another program',
    { middleware_configs: [{ type: 'authz', parameters: { policies: ['forbid'] } }] },
    400,
    /is not available yet/,
  )
  const issuer = 'https://id.example.com'
  const secretFiles = (path: string): [string, object][] => [
    ['oidc_config.authTokenFile', { oidc_config: { issuer, authTokenFile: path } }],
    ['jwks_auth_token_file', { jwks_auth_token_file: path }],
    [
      'remote_auth_config.clientSecretFile',
      { ...remote, remote_auth_config: { client_id: 'c', clientSecretFile: path } },
    ],
  ]
  for (const [field, fields] of secretFiles('/data/token'))
    refused(`with ${field} outside the configuration folder`, fields, 400, /not a file below the configuration folder/)
  for (const [field, fields] of secretFiles('gone.txt'))
    refused(`with ${field} that is not there`, fields, 400, new RegExp(`^${field}: there is no file "gone.txt"`))
  for (const host of [
    '10.0.0.1',
    '0.0.0.0',
    '127.0.0.2',
    '::',
    '::ffff:127.0.0.1',
    'example.com',
    '169.254.169.254',
    '',
  ])
    refused(`with the target_host ${JSON.stringify(host)}`, { target_host: host }, 400, /^target_host .* loopback/)
  refused('with a relative CA bundle', { thv_ca_bundle: 'ca.pem' }, 400, /^thv_ca_bundle: .* absolute path/)
  refused('with an unknown profile', { permission_profile_name_or_path: 'mine' }, 400, /"none", "network" or an abso/)
  refused('with a missing profile', { permission_profile_name_or_path: '/data/gone' }, 400, /does not exist/)
  refused(
    'with two client secrets',
    { ...remote, remote_auth_config: { client_id: 'c', clientSecret: 'token', clientSecretFile: 'token.txt' } },
    400,
    /clientSecret or clientSecretFile, not both/,
  )
})

describe('what only a run configuration can say', () => {
  const HERE = {
    ...{ schema_version: 'v0.1.0', name: 'web', image: 'npx://web@1.0.0', transport: 'sse', target_port: 8000 },
    ...{ target_host: 'localhost', debug: true, permission_profile_name_or_path: '/data/profile.json' },
    ...{ thv_ca_bundle: '/data/ca.pem', jwks_auth_token_file: 'token.txt', base_name: 'from-elsewhere' },
    ...{ container_name: 'its-own', k8s_pod_template_patch: '{"spec":{}}' },
    oidc_config: { issuer: 'https://id.example.com', cacertPath: '/data/ca.pem', authTokenFile: 'token.txt' },
  }
  const REMOTE = {
    ...{ schema_version: 'v0.1.0', name: 'web', remote_url: 'https://example.com/mcp', transport: 'sse' },
    remote_auth_config: {
      ...{ client_id: 'c', clientSecretFile: 'token.txt', enableRemoteAuth: true, skipBrowser: true, timeout: '5m' },
    },
  }
  const imported = (config: object) => (fake: FakeDaemon) =>
    done(fake, 'POST /api/v1beta/workloads/import?accept_secrets=true', config)
  for (const [what, config] of [
    ['a server that runs here', HERE],
    ['a remote server', REMOTE],
  ] as const) {
    scenario(`is exported again: ${what}`, {
      given: imported(config),
      request: 'GET /api/v1beta/workloads/web/export',
      answers: { status: 200, matches: config, notContain: ['canary-of-a-file'] },
    })
    scenario(`is kept by an edit of something else: ${what}`, {
      given: async (fake) => {
        await imported(config)(fake)
        await done(fake, 'POST /api/v1beta/workloads/web/edit', { tools: ['echo'] })
      },
      request: 'GET /api/v1beta/workloads/web/export',
      answers: { status: 200, matches: { ...config, tools_filter: ['echo'] } },
    })
  }
  scenario('is in force: what a server that runs here is given', {
    given: imported(HERE),
    request: 'GET /api/v1beta/workloads/web/status',
    answers: { status: 200, json: { status: 'running' } },
    afterwards: (fake) => {
      expect(fake.gateway.endpoints.get('web')).toMatchObject({
        debug: true,
        authentication: { caCertificate: 'PEM', authToken: 'canary-of-a-file' },
      })
    },
  })
  const login = (fake: FakeDaemon): unknown => Object(fake.gateway.backends.get('web')).login
  scenario('is in force: the client secret of a file, at the login of a remote server', {
    given: imported({ ...REMOTE, thv_ca_bundle: '/data/ca.pem' }),
    request: 'GET /api/v1beta/workloads/web/status',
    answers: { status: 200, json: { status: 'running' } },
    afterwards: (fake) => {
      expect(login(fake)).toMatchObject({ clientId: 'c', clientSecret: 'canary-of-a-file', caCertificate: 'PEM' })
      expect(fake.gateway.backends.get('web')).toMatchObject({ caCertificate: 'PEM' })
    },
  })
  scenario('is in force: no login where it is switched off', {
    given: imported({ ...REMOTE, remote_auth_config: { ...REMOTE.remote_auth_config, enableRemoteAuth: false } }),
    request: 'GET /api/v1beta/workloads/web/status',
    answers: { status: 200, json: { status: 'running' } },
    afterwards: (fake) => {
      expect(fake.gateway.backends.has('web')).toBe(true)
      expect(login(fake)).toBeUndefined()
    },
  })
  scenario('a profile is read once, and stored', {
    given: imported(HERE),
    request: 'GET /api/v1beta/workloads/web/export',
    answers: { status: 200, matches: { permission_profile: { name: 'mine', network: { outbound: {} } } } },
  })
  const gone = (name: string, config: object, edit: object, words: string[]) =>
    scenario(`goes with ${name} that an edit changes`, {
      given: async (fake) => {
        await imported(config)(fake)
        await done(fake, 'POST /api/v1beta/workloads/web/edit', edit)
      },
      request: 'GET /api/v1beta/workloads/web/export',
      answers: { status: 200, notContain: words },
    })
  gone('the provider', HERE, { oidc: { issuer: 'https://other.example.com' } }, ['token.txt', 'cacertPath'])
  gone('the profile', HERE, { permission_profile: { name: 'none' } }, ['/data/profile.json'])
  gone('the server', HERE, { image: 'npx://other@1.0.0' }, ['from-elsewhere', 'target_host'])
  gone('the address', REMOTE, { url: 'https://other.example.com/mcp' }, ['token.txt'])
  gone('the client', REMOTE, { oauth_config: { client_id: 'other' } }, ['token.txt'])
})
