import { expect, test } from 'vitest'
import type { RemoteServer } from '@toolhaven/contract/registry-document'
import { type FakeDaemon, fakeRegistry, startFakeDaemon } from '@toolhaven/testing/fakes/fake-daemon'
import { settle } from '@toolhaven/testing/fakes/manual-clock'
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
  for (const image of ['near', 'inside'])
    await expect(createWorkload(workloads, { name: 'x', image })).rejects.toThrow(
      /^the registry entry names .*accept_network: true/,
    )
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

test('install hosts are for packages; the user names them unasked, an import needs a confirmation', async () => {
  using fake = await startFakeDaemon()
  const { workloads } = fake.daemon
  const install_hosts = ['cdn.example']
  await expect(createWorkload(workloads, { name: 'x', image: 'web:1', install_hosts })).rejects.toThrow('for packages')
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
