import { expect, test } from 'vitest'
import type { CreateRequest } from '@toolhaven/contract/workload-request'
import { startFakeDaemon } from '@toolhaven/fakes/fake-daemon'
import { settle } from '@toolhaven/fakes/manual-clock'
import { createWorkload } from '../operations/create.ts'
import { editWorkload } from '../operations/edit.ts'
import { importWorkload } from '../operations/import.ts'
import { changeLifecycle } from '../operations/lifecycle.ts'
import { exportWorkload, getWorkload, listWorkloads } from '../operations/read.ts'

const WEB = { name: 'web', image: 'npx://web@1.0.0' }
const HOST = { ...WEB, network_mode: 'host' } as const

test('a workload is isolated unless it is asked to share the network of the machine', async () => {
  using fake = await startFakeDaemon()
  const { workloads } = fake.daemon
  await createWorkload(workloads, { ...WEB, network_isolation: false })
  await settle()
  expect(getWorkload(workloads, 'web').network_mode).toBe('isolated')
  expect(fake.runtime.instances.get('thv-web')?.spec.network).toMatchObject({ folder: '/egress/web' })
  await editWorkload(workloads, 'web', { network_mode: 'host' })
  await settle()
  const details = getWorkload(workloads, 'web')
  expect(details).toMatchObject({ network_mode: 'host', status_context: expect.stringContaining('network_mode host') })
  expect(listWorkloads(workloads, {}).join()).toContain('"network_mode":"host"')
  expect(fake.runtime.instances.get('thv-web')?.spec.network).toBe('host')
  expect(fake.egress.rules.has('web')).toBe(false)
  await editWorkload(workloads, 'web', { network_mode: null })
  expect(getWorkload(workloads, 'web').network_mode).toBe('isolated')
})

test.each<[string, CreateRequest, RegExp]>([
  ['isolation', { network_isolation: true }, /network_isolation exclude each other/],
  ['observation', { network_isolation_mode: 'observe' }, /cannot be observed/],
  [
    'a profile that allows nothing',
    { permission_profile: { name: 'none' } },
    /a permission profile that allows everything/,
  ],
  [
    'a list',
    { permission_profile: { network: { outbound: { allow_host: ['a.example'] } } } },
    /a permission profile that allows everything/,
  ],
])('host together with %s is refused', async (_what, change, why) => {
  using fake = await startFakeDaemon()
  const { workloads } = fake.daemon
  await expect(createWorkload(workloads, { ...HOST, ...change })).rejects.toThrow(why)
  await createWorkload(workloads, { ...WEB, ...change })
  await expect(editWorkload(workloads, 'web', { network_mode: 'host' })).rejects.toThrow(why)
})

test('a remote server has no network here', async () => {
  using fake = await startFakeDaemon()
  const { workloads } = fake.daemon
  const far = { name: 'far', url: 'https://mcp.example.com/mcp' }
  const changes: CreateRequest[] = [{ network_mode: 'host' }, { allow_hosts: ['a.example'] }]
  for (const change of changes)
    await expect(createWorkload(workloads, { ...far, ...change })).rejects.toThrow(/^network_mode host and allow_hosts/)
  await createWorkload(workloads, far)
  expect(getWorkload(workloads, 'far')).not.toHaveProperty('network_mode')
})

test('what is exported is imported as it was', async () => {
  using fake = await startFakeDaemon()
  const { workloads } = fake.daemon
  await createWorkload(workloads, HOST)
  const config = { ...exportWorkload(workloads, 'web'), name: 'copy', port: 12_345 }
  expect(config.network_mode).toBe('host')
  await importWorkload(workloads, config, { accept_network: true })
  const { container_name: _name, ...copied } = exportWorkload(workloads, 'copy')
  expect({ ...copied, container_name: 'thv-web' }).toEqual(config)
})

test('hosts of the request are added to the profile in force, whoever chose it', async () => {
  using fake = await startFakeDaemon()
  const { workloads } = fake.daemon
  const allow_hosts = ['b.example', 'example.com']
  await createWorkload(workloads, { name: 'entry', image: 'everything', allow_hosts })
  await createWorkload(workloads, { ...WEB, allow_hosts })
  await createWorkload(workloads, { ...WEB, name: 'none', permission_profile: { name: 'none' }, allow_hosts })
  await settle()
  const rules = (name: string) => fake.egress.rules.get(name)
  expect(rules('entry')).toEqual({ allowHost: ['example.com', 'b.example'], allowPort: [443], allowAll: false })
  expect(rules('web')).toEqual({ allowHost: allow_hosts, allowPort: [], allowAll: true })
  expect(rules('none')).toEqual({ allowHost: allow_hosts, allowPort: [], allowAll: false })
  expect(getWorkload(workloads, 'none').permission_profile).not.toHaveProperty('name')
})

test('a workload that was stored with the network of the machine is isolated at its next start, and says so once', async () => {
  using before = await startFakeDaemon()
  await createWorkload(before.daemon.workloads, WEB)
  await createWorkload(before.daemon.workloads, { ...WEB, name: 'none', permission_profile: { name: 'none' } })
  await settle()
  // As it was written down before there was a network mode.
  for (const record of before.workloadStore.records.values()) delete record.config.network_mode
  const { runtime, workloadStore } = before
  const kept = runtime.instances.get('thv-web')?.handle.id
  using fake = await startFakeDaemon({ runtime, workloadStore })
  await settle()
  const { workloads } = fake.daemon
  const context = (name: string) => getWorkload(workloads, name).status_context
  expect(runtime.instances.get('thv-web')?.handle.id).not.toBe(kept)
  expect(context('web')).toMatch(/^now isolated from the network of this machine.*--network host/)
  expect(context('none')).toBe('')
  expect(exportWorkload(workloads, 'web').network_mode).toBe('isolated')
  await changeLifecycle(workloads, 'web', 'restart')
  await settle()
  expect(context('web')).not.toContain('now isolated')
})
