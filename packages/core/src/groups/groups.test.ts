import { describe, expect, test } from 'vitest'
import { startFakeDaemon } from '@toolhaven/fakes/fake-daemon'
import { settle } from '@toolhaven/fakes/manual-clock'
import { createWorkload } from '../workloads/operations/create.ts'
import { createGroup, deleteGroup, listGroups } from './groups.ts'

const member = (name: string) => ({ name, image: 'npx://web@1.0.0', group: 'research' })

describe('groups', () => {
  test('two creates of one name at once: one wins', async () => {
    using fake = await startFakeDaemon()
    const results = await Promise.allSettled([
      createGroup(fake.daemon.groups, 'x'),
      createGroup(fake.daemon.groups, 'x'),
    ])
    expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
  })

  test('a full disk refuses the create, and the group is not there', async () => {
    using fake = await startFakeDaemon()
    fake.groupStore.failWith = new Error('ENOSPC')
    await expect(createGroup(fake.daemon.groups, 'x')).rejects.toThrow('ENOSPC')
    expect(listGroups(fake.daemon.groups).map(({ name }) => name)).toEqual(['default'])
    fake.groupStore.failWith = undefined
    await createGroup(fake.daemon.groups, 'x')
  })

  test('the default group is there over an empty store, and stored ones are kept', async () => {
    using first = await startFakeDaemon()
    await createGroup(first.daemon.groups, 'research')
    using second = await startFakeDaemon({ groupStore: first.groupStore })
    expect(listGroups(second.daemon.groups).map(({ name }) => name)).toEqual(['default', 'research'])
  })

  test('a workload made while its group is deleted is in a group that exists', async () => {
    using fake = await startFakeDaemon()
    await createGroup(fake.daemon.groups, 'research')
    await Promise.allSettled([
      createWorkload(fake.daemon.workloads, member('a')),
      deleteGroup(fake.daemon.groups, 'research', false),
      createWorkload(fake.daemon.workloads, member('b')),
    ])
    await settle()
    const known = listGroups(fake.daemon.groups).map(({ name }) => name)
    const used = [...fake.workloadStore.records.values()].map(({ config }) => config.group)
    expect(used.filter((group) => !known.includes(group ?? ''))).toEqual([])
  })
})
