import { expect, test } from 'vitest'
import { fakeRegistry, startFakeDaemon } from '@toolhaven/fakes/fake-daemon'
import { settle } from '@toolhaven/fakes/manual-clock'
import { createWorkload } from '../operations/create.ts'
import { editWorkload } from '../operations/edit.ts'
import { importWorkload } from '../operations/import.ts'
import { changeLifecycle } from '../operations/lifecycle.ts'
import { exportWorkload, getWorkload } from '../operations/read.ts'

const OWN = { name: 'own', folder: { path: '/data/own' } }

test('a folder is mounted for its server alone to read, and started as it says', async () => {
  using fake = await startFakeDaemon()
  const { workloads } = fake.daemon
  expect(await createWorkload(workloads, { folder: { path: '/data/my server/' } })).toMatchObject({ name: 'my-server' })
  await createWorkload(workloads, { ...OWN, folder: { ...OWN.folder, write: true, command: ['node', 'a.js'] } })
  await settle()
  expect(fake.runtime.instances.get('thv-my-server')?.spec).toMatchObject({
    source: { kind: 'folder', path: '/data/my server/' },
    mounts: [{ hostPath: '/data/my server/', containerPath: '/srv/project', readOnly: true }],
  })
  expect(fake.runtime.instances.get('thv-own')?.spec).toMatchObject({
    source: { kind: 'folder', path: '/data/own', command: ['node', 'a.js'] },
    mounts: [{ readOnly: false }],
  })
  expect(getWorkload(workloads, 'own')).toMatchObject({ package: '/data/own', remote: false, folder: { write: true } })
})

test.each([
  [{ path: '/' }, /would expose the root of the machine/],
  [{ path: '/data/home' }, /is your home folder or contains it/],
  [{ path: '/data/toolhaven-state' }, /would expose/],
  [{ path: '/run/engine.sock' }, /is not a folder/],
  [{ path: '/gone' }, /folder "\/gone" does not exist on this machine/],
  [{ path: 'relative' }, /folder "relative": the path must be absolute or begin with ~\//],
  [{ path: '/data/a\nb' }, /must not contain control characters/],
  [{ path: '/data/own', command: ['', 'a'] }, /begins with an empty word/],
  [{ path: '/data/own', write: true, watch: true }, /write and watch cannot both be set/],
])('%j is refused, and "privileged" opens nothing', async (folder, why) => {
  using fake = await startFakeDaemon()
  const { workloads } = fake.daemon
  for (const extra of [{}, { permission_profile: { privileged: true } }])
    await expect(createWorkload(workloads, { folder, ...extra })).rejects.toMatchObject({
      code: 'invalid',
      message: expect.stringMatching(why),
    })
})

test('a folder that leads elsewhere by the next start is refused', async () => {
  using fake = await startFakeDaemon()
  const { workloads } = fake.daemon
  await createWorkload(workloads, OWN)
  await settle()
  fake.host.holdsHome = async () => true
  await changeLifecycle(workloads, 'own', 'restart')
  await settle()
  expect(workloads.book.status('own')).toMatchObject({
    status: 'error',
    context: expect.stringContaining('home folder'),
  })
})

test('only a request names a folder: no import, no registry entry', async () => {
  const evil = { ...fakeRegistry.servers['everything'], image: '/data/own' }
  // oxlint-disable-next-line typescript/consistent-type-assertions -- as a registry could send it
  const registry = { ...fakeRegistry, servers: { evil, sly: { ...evil, folder: OWN.folder } } } as typeof fakeRegistry
  using fake = await startFakeDaemon({ registry })
  const { workloads } = fake.daemon
  await createWorkload(workloads, OWN)
  const config = { ...exportWorkload(workloads, 'own'), name: 'copy', port: 12_345 }
  expect(config.folder).toEqual(OWN.folder)
  await expect(importWorkload(workloads, config, { accept_mounts: true })).rejects.toThrow(
    'an imported configuration cannot name a folder of this machine',
  )
  for (const image of ['evil', 'sly', '/data/own', './own', 'folder:///data/own'])
    await expect(createWorkload(workloads, { name: 'x', image, accept_mounts: true })).rejects.toThrow(/image/)
  await expect(createWorkload(workloads, { ...OWN, name: 'x', image: 'everything' })).rejects.toThrow('replaces image')
})

test('an edit changes how a folder is used, and takes another server instead', async () => {
  using fake = await startFakeDaemon()
  const { workloads } = fake.daemon
  await createWorkload(workloads, OWN)
  await editWorkload(workloads, 'own', { folder: { path: '/data/own', watch: true } })
  await settle()
  expect(fake.folders.watched).toEqual(new Map([['own', '/data/own']]))
  await editWorkload(workloads, 'own', { image: 'npx://web@1.0.0' })
  await settle()
  expect(getWorkload(workloads, 'own')).toMatchObject({ package: 'npx://web@1.0.0', image: 'npx://web@1.0.0' })
  expect(getWorkload(workloads, 'own').folder).toBeUndefined()
  expect(fake.folders.watched.size).toBe(0)
})

test('a change in a watched folder restarts the server, also one that failed, and none that is stopped', async () => {
  using fake = await startFakeDaemon()
  const { workloads } = fake.daemon
  await createWorkload(workloads, { ...OWN, folder: { path: '/data/own', watch: true } })
  await settle()
  const generation = () => workloads.book.get('own').stored.generation
  const save = async () => {
    fake.folders.events.onChanged('own', '/data/own/a.js')
    await settle()
  }
  await save()
  expect(generation()).toBe(2)
  expect(fake.runtime.instances.get('thv-own')?.spec.labels['toolhaven-generation']).toBe('2')
  expect(await fake.logs.tail('own', 9)).toContain('[toolhaven] /data/own/a.js changed; the server restarts')

  fake.runtime.missing.add('/data/own')
  await save()
  expect(workloads.book.status('own').status).toBe('error')
  fake.runtime.missing.delete('/data/own')
  await save()
  expect(workloads.book.status('own').status).toBe('running')

  await changeLifecycle(workloads, 'own', 'stop')
  await settle()
  expect(fake.folders.watched.size).toBe(0)
  await save()
  expect(workloads.book.status('own').status).toBe('stopped')
})
