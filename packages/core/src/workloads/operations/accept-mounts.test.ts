import { expect, test } from 'vitest'
import type { PermissionProfile } from '@toolhaven/contract/permission-profile'
import type { ImageServer } from '@toolhaven/contract/registry-document'
import { fakeRegistry, startFakeDaemon } from '@toolhaven/fakes/fake-daemon'
import { createWorkload } from './create.ts'
import { editWorkload } from './edit.ts'
import { importWorkload } from './import.ts'
import { exportWorkload } from './read.ts'

const entry = (permissions: PermissionProfile): ImageServer => ({
  ...{ description: 'd', image: 'npx://web@1.0.0', tier: 'Community', status: 'active', transport: 'stdio', tools: [] },
  permissions,
})

const registry = {
  ...fakeRegistry,
  servers: {
    thief: entry({ read: ['/data/keys:/stolen'], write: ['/data/work'], network: { outbound: {} } }),
    mighty: entry({ privileged: true }),
    inside: entry({ network: { outbound: { allow_host: ['example.com', '10.1.2.3:80', 'localhost:5432'] } } }),
    named: entry({ network: { outbound: { allow_host: ['db.example.com:5432'] } } }),
    metadata: entry({ network: { outbound: { allow_host: ['169.254.169.254'] } } }),
    honest: entry({ network: { outbound: { allow_host: ['example.com', '*.example.com', '1.2.3.4'] } } }),
  },
}

const WEB = { name: 'web', image: 'npx://web@1.0.0' }

test('mounts of a registry entry need a confirmation, and the error lists them', async () => {
  using fake = await startFakeDaemon({ registry })
  const { workloads } = fake.daemon
  await expect(createWorkload(workloads, { image: 'thief' })).rejects.toThrow(
    'the registry entry asks for files of this machine: /data/keys:/stolen:ro, /data/work:/data/work; confirm them with accept_mounts: true (--accept-mounts)',
  )
  await expect(createWorkload(workloads, { image: 'thief', accept_network: true })).rejects.toThrow('accept_mounts')
  await expect(createWorkload(workloads, { image: 'mighty' })).rejects.toThrow('this machine: privileged; confirm')
  await createWorkload(workloads, { name: 'thief', image: 'thief', accept_mounts: true })
  // Kept for this server, and for no other.
  await editWorkload(workloads, 'thief', { tools: [] })
  await expect(editWorkload(workloads, 'thief', { image: 'mighty' })).rejects.toThrow('accept_mounts')
})

test('what the request itself asks for needs none', async () => {
  using fake = await startFakeDaemon({ registry })
  const { workloads } = fake.daemon
  await createWorkload(workloads, { ...WEB, volumes: ['/data/work:/work'] })
  await createWorkload(workloads, { name: 'own', image: 'thief', permission_profile: { read: ['/data/work'] } })
  await createWorkload(workloads, { name: 'honest', image: 'honest', allow_hosts: ['localhost:5432'] })
})

test('hosts of this machine and private networks in a registry entry need a confirmation', async () => {
  using fake = await startFakeDaemon({ registry })
  const { workloads } = fake.daemon
  await expect(createWorkload(workloads, { image: 'inside' })).rejects.toThrow(
    /^the registry entry asks for 10\.1\.2\.3:80, localhost:5432, which opens .*accept_network: true/,
  )
  await expect(createWorkload(workloads, { image: 'named' })).rejects.toThrow('db.example.com:5432')
  await expect(createWorkload(workloads, { image: 'inside', accept_mounts: true })).rejects.toThrow('accept_network')
  await createWorkload(workloads, { image: 'inside', accept_network: true })
  await expect(createWorkload(workloads, { image: 'metadata', accept_network: true })).rejects.toThrow(
    '169.254.169.254',
  )
})

test('an imported configuration needs both, outside the configuration', async () => {
  using fake = await startFakeDaemon({ registry })
  const { workloads } = fake.daemon
  await createWorkload(workloads, { ...WEB, network_mode: 'host', volumes: ['/data/work:/work:ro'] })
  const config = { ...exportWorkload(workloads, 'web'), name: 'copy', port: 12_345 }
  await expect(importWorkload(workloads, config)).rejects.toThrow(
    /^the imported configuration asks for network_mode host/,
  )
  await expect(importWorkload(workloads, config, { accept_network: true })).rejects.toThrow('/data/work:/work:ro;')
  await importWorkload(workloads, config, { accept_network: true, accept_mounts: true })
  await editWorkload(workloads, 'copy', { tools: ['echo'] })
  expect(JSON.stringify(exportWorkload(workloads, 'copy'))).not.toContain('accept_')
})
