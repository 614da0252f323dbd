import { describe, expect, test } from 'vitest'
import { startFakeDaemon } from '@toolhaven/fakes/fake-daemon'
import { settle } from '@toolhaven/fakes/manual-clock'
import { createWorkload } from '../operations/create.ts'
import { changeLifecycle } from '../operations/lifecycle.ts'
import { PACKAGE, running, status } from '../../../test/support/running-workload.ts'

describe('many workloads', () => {
  test('two creates of one name at once: one wins', async () => {
    using fake = await startFakeDaemon()
    const results = await Promise.allSettled([
      createWorkload(fake.daemon.workloads, PACKAGE),
      createWorkload(fake.daemon.workloads, PACKAGE),
    ])
    expect(results.map(({ status: outcome }) => outcome).toSorted()).toEqual(['fulfilled', 'rejected'])
  })

  test('200 are created and deleted in parallel and nothing is left', async () => {
    using fake = await startFakeDaemon()
    const names = Array.from({ length: 200 }, (_, index) => `w${index}`)
    await Promise.all(names.map((name) => createWorkload(fake.daemon.workloads, { ...PACKAGE, name })))
    await settle()
    await Promise.all(names.map((name) => changeLifecycle(fake.daemon.workloads, name, 'delete')))
    for (let round = 0; round < 20; round += 1) await settle()
    expect(fake.daemon.workloads.book.all()).toEqual([])
    expect(fake.runtime.instances.size).toBe(0)
    expect(fake.workloadStore.records.size).toBe(0)
  })

  test('a full disk refuses the change and loses nothing', async () => {
    using fake = await startFakeDaemon()
    await running(fake)
    fake.workloadStore.failWith = new Error('no space left')
    await expect(createWorkload(fake.daemon.workloads, { ...PACKAGE, name: 'other' })).rejects.toThrow('no space')
    await expect(changeLifecycle(fake.daemon.workloads, 'web', 'delete')).rejects.toThrow('no space')
    expect(status(fake)).toBe('running')
    fake.workloadStore.failWith = undefined
    await createWorkload(fake.daemon.workloads, { ...PACKAGE, name: 'other' })
    await settle()
    expect(status(fake, 'other')).toBe('running')
  })
})
