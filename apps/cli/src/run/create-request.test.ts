import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createRequestOf } from './create-request.ts'
import { absoluteVolume } from './host-paths.ts'
import { megabytesOf, pairsOf, secretOf } from './pairs.ts'
import type { RunFlags } from './run-flags.ts'

const NONE: RunFlags = {
  ...{
    name: undefined,
    group: undefined,
    transport: undefined,
    proxyMode: undefined,
    sessionMode: undefined,
    maxSessions: undefined,
    sessionIdle: undefined,
    requestsPerMinute: undefined,
    clientRequestsPerMinute: undefined,
    maxMessageBytes: undefined,
    proxyPort: undefined,
    folder: undefined,
    write: false,
    watch: false,
  },
  ...{ targetPort: undefined, host: undefined, env: [], envFile: [], volume: [], secret: [], tools: [], label: [] },
  ...{
    network: undefined,
    allowHost: [],
    isolateNetwork: false,
    observeNetwork: false,
    ignoreGlobally: undefined,
    printOverlays: false,
    permissionProfile: undefined,
    imageVerification: undefined,
    acceptNetwork: false,
    acceptMounts: false,
    installHost: [],
    header: [],
    headerSecret: [],
    memory: undefined,
    cpus: undefined,
    pids: undefined,
  },
  ...{
    toolsChanged: undefined,
    toolsOverride: undefined,
    authzConfig: undefined,
    auditConfig: undefined,
    enableAudit: false,
  },
  ...{ remoteAuthIssuer: undefined, remoteAuthAuthorizeUrl: undefined, remoteAuthTokenUrl: undefined },
  ...{ remoteAuthClientId: undefined, remoteAuthClientSecret: undefined, remoteAuthScopes: [] },
  ...{ remoteAuthCallbackPort: undefined, remoteAuthTimeout: 300, remoteAuthBrowser: false },
  ...{ oidcIssuer: undefined, oidcAudience: undefined, oidcJwksUrl: undefined, oidcIntrospectionUrl: undefined },
  ...{ oidcClientId: undefined, oidcClientSecret: undefined, resourceUrl: undefined },
  ...{ otelEndpoint: undefined, otelInsecure: false, otelHeaders: [], otelServiceName: undefined },
  ...{ otelSamplingRate: undefined, otelEnvVars: [], otelEnablePrometheusMetricsPath: false },
  ...{ fromConfig: undefined, acceptSecrets: false, noWait: false, keep: false, format: 'text' },
}
const caller = { cwd: '/project/dir', homeDir: '/home/me', env: { MINE: 'x' } }
const ask = (args: string[], flags: Partial<RunFlags> = {}) => createRequestOf(caller, args, { ...NONE, ...flags })

test('what nobody asked for is left to the daemon', async () => {
  expect(await ask(['time'])).toEqual({ image: 'time' })
  expect(await ask(['HTTPS://example.com/mcp'])).toEqual({ url: 'HTTPS://example.com/mcp' })
})

test('options become fields of the request', async () => {
  const flags = {
    memory: '2g',
    cpus: 0.5,
    pids: 64,
    header: ['X-Key=a=b'],
    headerSecret: ['Authorization=far-key'],
    secret: ['k,target=KEY'],
    permissionProfile: 'none',
    network: 'isolated',
    allowHost: ['localhost:5432'],
    isolateNetwork: true,
    observeNetwork: true,
    sessionMode: 'isolated',
    maxSessions: 4,
    sessionIdle: 60,
    toolsChanged: 'block',
    imageVerification: 'enabled',
    acceptNetwork: true,
    acceptMounts: true,
    installHost: ['cdn.example'],
  }
  expect(await ask(['time', '--flag', 'b'], { ...flags, env: ['MINE', 'A='], tools: ['a, b', 'c'] })).toEqual({
    image: 'time',
    network_mode: 'isolated',
    allow_hosts: ['localhost:5432'],
    network_isolation: true,
    network_isolation_mode: 'observe',
    session_mode: 'isolated',
    tools_changed: 'block',
    image_verification: 'enabled',
    accept_network: true,
    accept_mounts: true,
    install_hosts: ['cdn.example'],
    limits: { max_sessions: 4, session_idle_seconds: 60 },
    cmd_arguments: ['--flag', 'b'],
    env_vars: { MINE: 'x', A: '' },
    tools: ['a', 'b', 'c'],
    headers: { 'X-Key': 'a=b' },
    headers_from_secrets: { Authorization: 'far-key' },
    secrets: [{ name: 'k', target: 'KEY' }],
    permission_profile: { name: 'none' },
    resources: { memory_mb: 2048, cpus: 0.5, pids: 64 },
  })
})

test('limits of clients are told together', async () => {
  const flags = { requestsPerMinute: 600, clientRequestsPerMinute: 60, maxMessageBytes: 1024 }
  expect(await ask(['time'], flags)).toEqual({
    image: 'time',
    limits: { requests_per_minute: 600, client_requests_per_minute: 60, max_message_bytes: 1024 },
  })
})

test('ignore files are spoken of only when somebody does', async () => {
  const ignoreConfig = async (flags: Partial<RunFlags>) => (await ask(['time'], flags)).ignore_config
  expect(await ignoreConfig({})).toBeUndefined()
  expect(await ignoreConfig({ ignoreGlobally: 'false' })).toEqual({ loadGlobal: false })
  expect(await ignoreConfig({ ignoreGlobally: 'true', printOverlays: true })).toEqual({
    loadGlobal: true,
    printOverlays: true,
  })
})

test('policies, audit and names of tools are read from files', async () => {
  const cwd = await mkdtemp(join(tmpdir(), 'thv-run-'))
  onTestFinished(() => rm(cwd, { recursive: true, force: true }))
  await writeFile(join(cwd, 'policies.json'), '{ "type": "cedarv1" }')
  await writeFile(join(cwd, 'audit.json'), '{"component":"desk"}')
  await writeFile(join(cwd, 'names.json'), '{"echo":{"name":"say"}}')
  const given = (flags: Partial<RunFlags>) => createRequestOf({ ...caller, cwd }, ['time'], { ...NONE, ...flags })
  const flags = { authzConfig: 'policies.json', auditConfig: 'audit.json', toolsOverride: './names.json' }
  expect(await given(flags)).toEqual({
    image: 'time',
    authz_config: '{"type":"cedarv1"}',
    audit_config: { component: 'desk' },
    tools_override: { echo: { name: 'say' } },
  })
  expect(await given({ enableAudit: true })).toMatchObject({ audit_config: { include_request_data: false } })
  await expect(given({ enableAudit: true, auditConfig: 'audit.json' })).rejects.toThrow('cannot be used together')
})

test('how to log in at a remote server, and who may call, are fields of their own', async () => {
  const flags = { remoteAuthIssuer: 'https://id.example.com', remoteAuthScopes: ['a, b', 'c'], oidcAudience: 'me' }
  expect(await ask(['https://example.com/mcp'], { ...flags, remoteAuthCallbackPort: 8666 })).toEqual({
    url: 'https://example.com/mcp',
    oauth_config: { issuer: 'https://id.example.com', scopes: ['a', 'b', 'c'], callback_port: 8666 },
    oidc: { audience: 'me' },
  })
})

test('options of telemetry become its configuration', async () => {
  const flags = { otelEndpoint: 'localhost:4318', otelHeaders: ['X-Key=a=b'], otelEnvVars: ['A, B', 'C'] }
  expect(await ask(['time'], { ...flags, otelInsecure: true, otelSamplingRate: 0, otelServiceName: 's' })).toEqual({
    image: 'time',
    telemetry_config: {
      endpoint: 'localhost:4318',
      insecure: true,
      headers: { 'X-Key': 'a=b' },
      serviceName: 's',
      samplingRate: 0,
      environmentVariables: ['A', 'B', 'C'],
    },
  })
  expect(await ask(['time'], { otelEnablePrometheusMetricsPath: true })).toEqual({
    image: 'time',
    telemetry_config: { enablePrometheusMetricsPath: true },
  })
})

test('a profile must be a file with a JSON object', async () => {
  const cwd = await mkdtemp(join(tmpdir(), 'thv-run-'))
  onTestFinished(() => rm(cwd, { recursive: true, force: true }))
  for (const [text, said] of [
    ['[]', 'must contain a JSON object'],
    ['{', 'is not JSON'],
  ] as const) {
    await writeFile(join(cwd, 'profile.json'), text)
    const failed = createRequestOf({ ...caller, cwd }, ['time'], { ...NONE, permissionProfile: 'profile.json' })
    await expect(failed).rejects.toThrow(said)
  }
})

test('paths of the caller are made absolute, those of the container are not touched', () => {
  const paths = ['./notes:/n:ro', '../up:/n', '~/x:/n', '~:/n', '/abs:/n', 'notes:relative', '~other:/n', ':/n']
  expect(paths.map((path) => absoluteVolume(caller, path))).toEqual([
    ...['/project/dir/notes:/n:ro', '/project/up:/n', '/home/me/x:/n', '/home/me:/n', '/abs:/n'],
    ...['/project/dir/notes:relative', '/project/dir/~other:/n', ':/n'],
  ])
})

test('a pair that is none is refused without telling what may be a secret', () => {
  expect(() => pairsOf('--header', ['hunter2'])).toThrow('--header must have the form KEY=VALUE')
  expect(() => pairsOf('--env', ['=x'])).toThrow('--env has no name before "="')
  expect(() => secretOf('token')).toThrow('NAME,target=VARIABLE')
})

test('a size of memory that no server can have is told in the units of the flag', () => {
  expect(megabytesOf('2g')).toBe(2048)
  expect(() => megabytesOf('5')).toThrow('--memory 5 is 5 MB. The minimum is 16m.')
  expect(() => megabytesOf('999999999999g')).toThrow('--memory 999999999999g is too large. The maximum is 16384g.')
})

test('memory is read with and without a unit', () => {
  expect(['512', '512m', '1.5G', '64MB'].map(megabytesOf)).toEqual([512, 512, 1536, 64])
  for (const text of ['', 'm', '-1', '2 t', '5k']) expect(() => megabytesOf(text)).toThrow('must be a size')
})

test('a file of variables that is not UTF-8 is refused and named', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'thv-env-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const file = join(folder, 'latin1.env')
  await writeFile(file, Buffer.from('NAME=caf\xe9\n', 'latin1'))
  const asked = createRequestOf({ cwd: folder, homeDir: folder, env: {} }, ['time'], { ...NONE, envFile: [file] })
  await expect(asked).rejects.toMatchObject({
    code: 'invalid',
    message: `--env-file ${file} is not valid UTF-8; convert it, or encode it as text, for example with base64`,
  })
})

test('a line of --env-file that sets nothing is refused by its number, without its text', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'thv-request-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const file = join(folder, 'env')
  const asked = () => createRequestOf({ cwd: folder, homeDir: folder, env: {} }, ['time'], { ...NONE, envFile: [file] })
  for (const line of ['not a line', 'TOKEN:abc', 'TOKEN']) {
    await writeFile(file, `# a comment\n\nA=1\n${line}\n`)
    await expect(asked()).rejects.toMatchObject({ message: `--env-file ${file}, line 4: must have the form KEY=VALUE` })
  }
  await writeFile(file, '# one\nexport A=1\nB="two\nlines"\nC=\n  \n')
  expect((await asked()).env_vars).toEqual({ A: '1', B: 'two\nlines', C: '' })
  // Quotes inside a value or a comment begin nothing.
  await writeFile(file, `URL=http://x?q='a\nB='x'\n`)
  expect((await asked()).env_vars).toEqual({ URL: `http://x?q='a`, B: 'x' })
  await writeFile(file, '# e.g. A="x\nB="y"\n')
  expect((await asked()).env_vars).toEqual({ B: 'y' })
})
