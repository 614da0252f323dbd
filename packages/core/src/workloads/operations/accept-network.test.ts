import { expect, test } from 'vitest'
import type { RemoteServer } from '@toolhaven/contract/registry-document'
import { type FakeDaemon, fakeRegistry, startFakeDaemon } from '@toolhaven/fakes/fake-daemon'
import { settle } from '@toolhaven/fakes/manual-clock'
import { createWorkload } from './create.ts'
import { editWorkload } from './edit.ts'
import { importWorkload } from './import.ts'
import { exportWorkload } from './read.ts'

const remote = (url: string): RemoteServer => ({
  ...{ description: 'far', url, tier: 'Community', status: 'active', transport: 'streamable-http', tools: [] },
})

const registry = {
  ...fakeRegistry,
  remote_servers: {
    near: remote('http://127.0.0.1:9000/mcp'),
    inside: remote('https://10.1.2.3/mcp'),
    // Public addresses, of this machine and of a neighbour.
    own: remote('https://198.51.44.7/mcp'),
    neighbour: remote('https://198.51.44.99/mcp'),
    elsewhere: remote('https://198.51.45.7/mcp'),
    named: remote('https://mcp.example.com/mcp'),
    metadata: remote('https://metadata.google.internal/mcp'),
  },
}

/** Whether the gateway was told to dial public addresses only. */
async function isPublicOnly(fake: FakeDaemon, name: string): Promise<boolean | undefined> {
  await settle()
  const backend = fake.gateway.backends.get(name)
  return backend?.kind === 'http' ? backend.publicOnly : undefined
}

test('a private address of the user’s own choice needs no confirmation', async () => {
  using fake = await startFakeDaemon()
  const { workloads } = fake.daemon
  await createWorkload(workloads, { name: 'mine', url: 'http://127.0.0.1:9000/mcp' })
  expect(await isPublicOnly(fake, 'mine')).toBe(false)
  await editWorkload(workloads, 'mine', { url: 'http://192.168.1.1/mcp' })
  expect(await isPublicOnly(fake, 'mine')).toBe(false)
})

test('a private address of a registry entry needs one', async () => {
  using fake = await startFakeDaemon({ registry })
  const { workloads } = fake.daemon
  for (const image of ['near', 'inside', 'own', 'neighbour'])
    await expect(createWorkload(workloads, { name: 'x', image })).rejects.toThrow(
      /^the registry entry names .*accept_network: true/,
    )
  await createWorkload(workloads, { name: 'elsewhere', image: 'elsewhere' })
  await createWorkload(workloads, { name: 'near', image: 'near', accept_network: true })
  expect(await isPublicOnly(fake, 'near')).toBe(false)
  await expect(createWorkload(workloads, { image: 'metadata', accept_network: true })).rejects.toThrow('metadata')
})

test('a name of a registry entry leads to public addresses only, until that is confirmed', async () => {
  using fake = await startFakeDaemon({ registry })
  const { workloads } = fake.daemon
  await createWorkload(workloads, { name: 'far', image: 'named' })
  expect(await isPublicOnly(fake, 'far')).toBe(true)
  await editWorkload(workloads, 'far', { tools: ['echo'] })
  expect(await isPublicOnly(fake, 'far')).toBe(true)
  await editWorkload(workloads, 'far', { accept_network: true })
  expect(await isPublicOnly(fake, 'far')).toBe(false)
})

test('what was confirmed for one server is not confirmed for another', async () => {
  using fake = await startFakeDaemon({ registry })
  const { workloads } = fake.daemon
  await createWorkload(workloads, { name: 'near', image: 'near', accept_network: true })
  await editWorkload(workloads, 'near', { tools: ['echo'] })
  await expect(editWorkload(workloads, 'near', { image: 'inside' })).rejects.toThrow('accept_network')
  await editWorkload(workloads, 'near', { image: 'named' })
  expect(await isPublicOnly(fake, 'near')).toBe(true)
})

test('an imported configuration needs one for its address and its login, outside the configuration', async () => {
  using fake = await startFakeDaemon()
  const { workloads } = fake.daemon
  await createWorkload(workloads, { name: 'mine', url: 'http://127.0.0.1:9000/mcp', accept_network: true })
  const config = { ...exportWorkload(workloads, 'mine'), name: 'copy', port: 12_345 }
  expect(JSON.stringify(config)).not.toContain('accept_network')
  await expect(importWorkload(workloads, config)).rejects.toThrow(/^the imported configuration names 127\.0\.0\.1/)
  const open = { ...config, remote_url: 'https://mcp.example.com/mcp' }
  const login = { ...open, remote_auth_config: { allowPrivateIP: true } }
  await expect(importWorkload(workloads, login)).rejects.toThrow('remote_auth_config.allowPrivateIP')
  await importWorkload(workloads, open)
  expect(await isPublicOnly(fake, 'copy')).toBe(true)
  await editWorkload(workloads, 'copy', { tools: ['echo'] })
  expect(await isPublicOnly(fake, 'copy')).toBe(true)
  await importWorkload(workloads, { ...config, name: 'accepted', port: 12_346 }, { accept_network: true })
  expect(await isPublicOnly(fake, 'accepted')).toBe(false)
})

test.for([
  ['npx://web@1.0.0', 'image'],
  ['https://mcp.example.com/mcp', 'remote_url'],
] as const)(
  'an import of %s needs one for a token check, a collector or a file of this machine, and the error lists them',
  async ([source, field]) => {
    using fake = await startFakeDaemon()
    const { workloads } = fake.daemon
    const transport = field === 'image' ? 'stdio' : 'streamable-http'
    const plain = { schema_version: 'v0.1.0', name: 'copy', transport, [field]: source } as const
    const oidc = { issuer: 'http://10.0.0.1/', jwksurl: 'http://keys.example/jwks', allowPrivateIP: true }
    const asking = [
      [{ oidc_config: oidc }, 'oidc_config http://10.0.0.1/, oidc_config http://keys.example/jwks'],
      [{ telemetry_config: { endpoint: '127.0.0.1:4318' } }, 'telemetry_config 127.0.0.1:4318'],
      [{ telemetry_config: { endpoint: 'localhost:4318/v1' } }, 'telemetry_config localhost:4318/v1'],
      [{ telemetry_config: { endpoint: '[fd00::1]:4318' } }, 'telemetry_config [fd00::1]:4318'],
      // Only a resolver can tell where a name leads.
      [{ telemetry_config: { endpoint: 'otel.example:4318' } }, 'telemetry_config otel.example:4318'],
    ] as const
    for (const [change, listed] of asking) {
      await expect(importWorkload(workloads, { ...plain, ...change })).rejects.toThrow(
        `the imported configuration asks for ${listed}, which opens more`,
      )
      await expect(importWorkload(workloads, { ...plain, ...change }, { accept_mounts: true })).rejects.toThrow(
        'accept_network: true',
      )
    }
    const file = { ...plain, audit_config: { log_file: '/data/work/audit.log' } }
    await expect(importWorkload(workloads, file, { accept_network: true })).rejects.toThrow(
      'files of this machine: audit_config /data/work/audit.log; confirm them with accept_mounts',
    )
    const metadata = { ...plain, telemetry_config: { endpoint: '169.254.169.254:80' } }
    await expect(importWorkload(workloads, metadata, { accept_network: true })).rejects.toThrow('169.254.169.254')
    const all = { ...plain, ...asking[0][0], ...asking[1][0] }
    await importWorkload(workloads, all, { accept_network: true })
    const open = { telemetry_config: { endpoint: '93.184.216.34:4318' }, audit_config: { log_file: 'audit.log' } }
    await importWorkload(workloads, { ...plain, name: 'open', ...open })
  },
)

test('install hosts are for packages; the user names them unasked, an import needs a confirmation', async () => {
  using fake = await startFakeDaemon()
  const { workloads } = fake.daemon
  const install_hosts = ['cdn.example']
  await expect(createWorkload(workloads, { name: 'x', image: 'web:1', install_hosts })).rejects.toThrow('for packages')
  const refused = (host: string) =>
    createWorkload(workloads, { name: 'y', image: 'npx://left@1.0.0', install_hosts: [host] }).catch(String)
  expect(await refused('169.254.169.254:80')).toContain('metadata')
  expect(await refused('metadata.google.internal')).toContain('metadata')
  expect(await refused('10.0.0.5')).toContain('"10.0.0.5:PORT"')
  expect(await refused('localhost')).toContain('"localhost:PORT"')
  await createWorkload(workloads, { name: 'mine', image: 'npx://left@1.0.0', install_hosts })
  const exported = exportWorkload(workloads, 'mine')
  expect(exported).toMatchObject({ install_hosts })
  const { port: _port, ...other } = { ...exported, name: 'other' }
  await expect(importWorkload(workloads, other)).rejects.toThrow(/install_hosts cdn\.example.*accept_network/)
  await importWorkload(workloads, other, { accept_network: true })
  expect(exportWorkload(workloads, 'other')).toMatchObject({ install_hosts })
  await editWorkload(workloads, 'other', { install_hosts: [] })
  expect(exportWorkload(workloads, 'other')).not.toHaveProperty('install_hosts')
})
