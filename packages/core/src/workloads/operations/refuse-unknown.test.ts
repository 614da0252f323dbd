import { startFakeDaemon } from '@toolhaven/fakes/fake-daemon'
import { expect, test } from 'vitest'
import { createWorkload } from './create.ts'
import { editWorkload } from './edit.ts'

const known = { knownOnly: true }

test('a bare word that neither the registry nor this machine has is refused, and nothing is made or pulled', async () => {
  using fake = await startFakeDaemon()
  for (const image of ['everythign', 'Everythign', 'com.example/dcos', 'io.github.someone/weather']) {
    await expect(createWorkload(fake.daemon.workloads, { image }, known)).rejects.toMatchObject({
      code: 'not-found',
      message: expect.stringContaining(`The registry has no "${image}"`),
    })
  }
  expect([...fake.workloadStore.records.keys()]).toEqual([])
  expect(fake.runtime.pulls).toEqual([])
})

test('a server of the registry, an image of this machine, and one with a tag or a path are taken', async () => {
  using fake = await startFakeDaemon()
  fake.runtime.local.set('mine', 'sha256:1')
  for (const image of [
    'everything',
    'mine',
    'other:1.0',
    'team/other',
    'npx://other',
    'images.example/other:1.0',
    'images.example/a/b',
  ])
    await createWorkload(fake.daemon.workloads, { image, transport: 'stdio' }, known)
  expect(fake.workloadStore.records.size).toBe(7)
})

test('without the wish for known ones, any reference is taken', async () => {
  using fake = await startFakeDaemon()
  await createWorkload(fake.daemon.workloads, { image: 'everythign', transport: 'stdio' })
  expect([...fake.workloadStore.records.keys()]).toEqual(['everythign'])
})

test('an edit that names such a word is refused, and changes nothing', async () => {
  using fake = await startFakeDaemon()
  const { workloads } = fake.daemon
  const { name } = await createWorkload(workloads, { image: 'everything' })
  const before = JSON.stringify(fake.workloadStore.records.get(name))
  await expect(editWorkload(workloads, name, { image: 'everythign', tools: ['echo'] }, known)).rejects.toMatchObject({
    code: 'not-found',
    message: expect.stringContaining('The registry has no "everythign"'),
  })
  expect(JSON.stringify(fake.workloadStore.records.get(name))).toBe(before)
  expect(fake.runtime.pulls.filter((image) => image.includes('everythign'))).toEqual([])
  await editWorkload(workloads, name, { image: 'other:1.0', transport: 'stdio' }, known)
  // What it runs already is not asked for again.
  await editWorkload(workloads, name, { tools: ['echo'] }, known)
})
