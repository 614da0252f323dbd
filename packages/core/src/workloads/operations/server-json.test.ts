import type { RemoteServer } from '@toolhaven/contract/registry-document'
import type { ServerJson } from '@toolhaven/contract/server-json'
import { fakeRegistry, startFakeDaemon } from '@toolhaven/fakes/fake-daemon'
import { settle } from '@toolhaven/fakes/manual-clock'
import { describe, expect, test } from 'vitest'
import { createWorkload } from './create.ts'
import { editWorkload } from './edit.ts'
import { planCreate } from './plan.ts'
import { exportWorkload, getWorkloadRequest } from './read.ts'

const variables = [
  { name: 'KEY', description: 'Key of the account', isRequired: true, isSecret: true },
  { name: 'LEVEL', default: 'info', choices: ['info', 'debug'] },
]
const weather: ServerJson = {
  ...{ name: 'io.github.orchard/weather', description: 'Weather' },
  packages: [
    {
      ...{ registryType: 'npm', identifier: 'weather-mcp', version: '1.2.3' },
      transport: { type: 'sse', url: 'http://localhost:3000/sse' },
      packageArguments: [{ type: 'positional', value: 'serve' }],
      environmentVariables: variables,
    },
  ],
}
const remote = (url: string, more: object = {}): ServerJson => ({
  ...{ name: 'com.example/far', description: 'Far away' },
  remotes: [{ type: 'streamable-http', url, ...more }],
})

test('a server.json makes a workload that no file or registry is needed for', async () => {
  using fake = await startFakeDaemon()
  const { workloads } = fake.daemon
  const { name } = await createWorkload(workloads, { server_json: weather, env_vars: { KEY: 'k' } })
  expect(name).toBe('weather')
  const { request } = await getWorkloadRequest(workloads, name)
  expect(request).toEqual({
    ...{ name, image: 'npx://weather-mcp@1.2.3', transport: 'sse', target_port: 3000 },
    ...{ cmd_arguments: ['serve'], env_vars: { KEY: 'k', LEVEL: 'info' } },
  })
  // The next version comes from the index, and is started as this one.
  await editWorkload(workloads, name, { image: 'npx://weather-mcp@1.3.0' })
  expect(exportWorkload(workloads, name)).toMatchObject({
    ...{ image: 'npx://weather-mcp@1.3.0', transport: 'sse', cmd_args: ['serve'] },
    env_vars: { KEY: 'k', LEVEL: 'info' },
  })
})

test('a server.json is asked the same questions as a registry entry, all at once in a plan', async () => {
  using fake = await startFakeDaemon()
  const { workloads } = fake.daemon
  const create = (more: object) => createWorkload(workloads, { server_json: weather, ...more })
  await expect(create({})).rejects.toThrow('io.github.orchard/weather needs KEY (a secret)')
  await expect(create({ env_vars: { KEY: 'k', LEVEL: 'loud' } })).rejects.toThrow(
    'env_vars.LEVEL: must be one of info, debug',
  )
  await expect(create({ image: 'npx://other' })).rejects.toThrow('replaces image, url and folder')
  const { problems } = await planCreate(workloads, { server_json: weather, env_vars: { LEVEL: 'loud' } })
  expect(problems.map(({ field }) => field)).toEqual(['env_vars', 'env_vars'])
  const rooted = { type: 'named' as const, name: '--root', isRequired: true }
  const [found] = weather.packages ?? []
  if (!found) throw new Error('it has a package')
  const file = { ...weather, packages: [{ ...found, packageArguments: [rooted] }] }
  const needs = { server_json: file, env_vars: { KEY: 'k' } }
  await expect(createWorkload(workloads, needs)).rejects.toThrow('needs arguments: --root <root>; set them in')
  await createWorkload(workloads, { ...needs, cmd_arguments: ['--root', '/tmp'] })
})

describe('the address in a server.json', () => {
  test('opens nothing of this machine or its network without a confirmation', async () => {
    using fake = await startFakeDaemon()
    const { workloads } = fake.daemon
    for (const url of ['http://127.0.0.1:9/mcp', 'https://[::1]/mcp', 'https://10.1.2.3/mcp', 'http://2130706433/mcp'])
      await expect(createWorkload(workloads, { server_json: remote(url) }), url).rejects.toThrow(
        /the server\.json names .*accept_network: true/,
      )
    const metadata = { server_json: remote('http://169.254.169.254/mcp'), accept_network: true }
    await expect(createWorkload(workloads, metadata)).rejects.toThrow('metadata or reserved address')
    await createWorkload(workloads, { server_json: remote('https://10.1.2.3/mcp'), accept_network: true })
    await createWorkload(workloads, { name: 'named', server_json: remote('https://far.example/mcp') })
    await settle()
    const publicOnly = (name: string) => {
      const backend = fake.gateway.backends.get(name)
      return backend?.kind === 'http' ? backend.publicOnly : undefined
    }
    expect([publicOnly('far'), publicOnly('named')]).toEqual([false, true])
    await editWorkload(workloads, 'named', { labels: { a: 'b' } })
    await settle()
    expect(publicOnly('named')).toBe(true)
  })

  test('may carry no password, and its headers are those that a client may send', async () => {
    using fake = await startFakeDaemon()
    const { workloads } = fake.daemon
    const create = (file: ServerJson) => createWorkload(workloads, { server_json: file })
    await expect(create(remote('https://a:b@far.example/mcp'))).rejects.toThrow('must not carry a user name')
    const host = { headers: [{ name: 'Host', value: 'inner.example' }] }
    await expect(create(remote('https://far.example/mcp', host))).rejects.toThrow('Toolhaven sets Host itself')
    const split = { headers: [{ name: 'X-A', value: 'b\r\nX-C: d' }] }
    await expect(create(remote('https://far.example/mcp', split))).rejects.toThrow('control characters')
  })
})

test('a header with a preset is sent, unless the user gives it in any spelling, and is not a secret', async () => {
  const preset = (name: string, value: string) => ({ name, description: 'd', required: true, default: value })
  const far: RemoteServer = {
    ...{ description: 'far', url: 'https://far.example/mcp', tier: 'Community', status: 'active', tools: [] },
    transport: 'streamable-http',
    headers: [preset('X-Api-Key', 'everybody'), preset('X-Region', 'eu')],
  }
  using fake = await startFakeDaemon({ registry: { ...fakeRegistry, remote_servers: { far } } })
  const { workloads } = fake.daemon
  await createWorkload(workloads, { image: 'far', headers: { 'x-region': 'us' } })
  expect(exportWorkload(workloads, 'far').remote_auth_config).toEqual({
    headers: { 'X-Api-Key': 'everybody', 'x-region': 'us' },
  })
  const own = { name: 'own', image: 'far', headers: { 'x-api-key': 'mine' } }
  await expect(createWorkload(workloads, own)).rejects.toThrow('no secrets provider is set up')
})
