import { describe, expect } from 'vitest'
import { type FakeDaemon } from '@toolhaven/fakes/fake-daemon'
import { done, scenario } from '@toolhaven/testing/scenario'

const CREATE = 'POST /api/v1beta/workloads'
const WEB = { name: 'web', image: 'npx://web@1.0.0' }

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
