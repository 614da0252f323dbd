import { startFakeDaemon } from '@toolhaven/testing/fakes/fake-daemon'
import { expect, test } from 'vitest'
import { createWorkload } from './create.ts'

const known = { knownOnly: true }

test('a bare word that neither the registry nor this machine has is refused, and nothing is made or pulled', async () => {
  using fake = await startFakeDaemon()
  for (const image of ['everythign', 'Everythign']) {
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
  for (const image of ['everything', 'mine', 'other:1.0', 'team/other', 'npx://other'])
    await createWorkload(fake.daemon.workloads, { image, transport: 'stdio' }, known)
  expect(fake.workloadStore.records.size).toBe(5)
})

test('without the wish for known ones, any reference is taken', async () => {
  using fake = await startFakeDaemon()
  await createWorkload(fake.daemon.workloads, { image: 'everythign', transport: 'stdio' })
  expect([...fake.workloadStore.records.keys()]).toEqual(['everythign'])
})
