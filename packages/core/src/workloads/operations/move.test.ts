import { startFakeDaemon } from '@toolhaven/fakes/fake-daemon'
import { expect, test } from 'vitest'
import { createGroup } from '../../groups/groups.ts'
import { createWorkload } from './create.ts'
import { editWorkload } from './edit.ts'
import { changeLifecycle } from './lifecycle.ts'
import { planEdit } from './plan.ts'

test('an edit of the group alone starts and restarts nothing', async () => {
  using fake = await startFakeDaemon()
  const { workloads } = fake.daemon
  await createGroup(fake.daemon.groups, 'research')
  const { name } = await createWorkload(workloads, { image: 'everything' })
  const stored = () => fake.workloadStore.records.get(name)
  const { generation } = stored() ?? {}
  expect(await planEdit(workloads, name, { group: 'research' })).toMatchObject({ restarts: false })
  await editWorkload(workloads, name, { group: 'research' })
  expect(stored()).toMatchObject({ generation, wanted: 'running', config: { group: 'research' } })
  await changeLifecycle(workloads, name, 'stop')
  await editWorkload(workloads, name, { group: '' })
  expect(stored()).toMatchObject({ generation, wanted: 'stopped', config: { group: 'default' } })
  await expect(editWorkload(workloads, name, { group: 'gone' })).rejects.toThrow('group gone not found')
  await editWorkload(workloads, name, { group: 'research', tools: ['echo'] })
  expect(stored()).toMatchObject({ wanted: 'running', config: { group: 'research', tools_filter: ['echo'] } })
})
