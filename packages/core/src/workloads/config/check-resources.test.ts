import { expect, test } from 'vitest'
import { startFakeDaemon } from '@toolhaven/fakes/fake-daemon'
import { settle } from '@toolhaven/fakes/manual-clock'
import { createWorkload } from '../operations/create.ts'
import { editWorkload } from '../operations/edit.ts'
import { changeLifecycle } from '../operations/lifecycle.ts'

const REASON = 'Nothing can limit it here.'
const image = 'npx://server@1.0.0'

test.each([
  ['memory_mb', 'memoryBytes', { memory_mb: 64 }],
  ['cpus', 'cpus', { cpus: 0.5 }],
  ['pids', 'pids', { pids: 32 }],
] as const)('resources.%s is refused at create and edit where nothing enforces it', async (field, limit, resources) => {
  using fake = await startFakeDaemon()
  fake.runtime.unenforced = { [limit]: REASON }
  const { workloads } = fake.daemon
  const refusal = {
    code: 'invalid',
    message: `resources.${field} cannot be enforced on docker. ${REASON} Remove it, or use a runtime that can`,
  }
  await expect(createWorkload(workloads, { name: 'a', image, resources })).rejects.toMatchObject(refusal)
  expect(workloads.book.find('a')).toBeUndefined()
  await createWorkload(workloads, { name: 'a', image })
  await expect(editWorkload(workloads, 'a', { resources })).rejects.toMatchObject(refusal)
  expect(workloads.book.find('a')?.stored.config.resources).toBeUndefined()
})

test('every limit that cannot be enforced is named at once', async () => {
  using fake = await startFakeDaemon()
  fake.runtime.unenforced = { memoryBytes: 'No memory.', pids: 'No pids.' }
  const resources = { memory_mb: 64, cpus: 1, pids: 9 }
  await expect(createWorkload(fake.daemon.workloads, { image, resources })).rejects.toThrow(
    /^resources\.memory_mb .* No memory\. resources\.pids .* No pids\. Remove/,
  )
})

test('a remote server takes no limits', async () => {
  using fake = await startFakeDaemon()
  const created = createWorkload(fake.daemon.workloads, { url: 'https://example.com/mcp', resources: { pids: 9 } })
  await expect(created).rejects.toThrow('resources.pids is only for servers that run on this machine')
})

test('a stored limit that the runtime cannot enforce any more keeps the server from starting', async () => {
  using fake = await startFakeDaemon()
  const { workloads } = fake.daemon
  const observed = () => workloads.book.find('a')?.observed
  await createWorkload(workloads, { name: 'a', image, resources: { memory_mb: 64 } })
  await settle()
  expect(observed()?.connected).toBe(true)
  fake.runtime.unenforced = { memoryBytes: REASON }
  await changeLifecycle(workloads, 'a', 'restart')
  await settle()
  expect(observed()?.failure?.message).toContain(REASON)
  expect(observed()?.connected).not.toBe(true)
  await editWorkload(workloads, 'a', { resources: null })
  await settle()
  expect(observed()?.connected).toBe(true)
})

test('nothing is started with a limit while the runtime does not say whether it enforces it', async () => {
  using fake = await startFakeDaemon()
  const { workloads } = fake.daemon
  const probe = fake.runtime.probe.bind(fake.runtime)
  fake.runtime.probe = async () => ({ state: 'unhealthy', reason: 'it is slow' })
  await createWorkload(workloads, { name: 'a', image, resources: { memory_mb: 64 } })
  await settle()
  expect(fake.runtime.calls).not.toContain('create')
  fake.runtime.probe = probe
  for (let round = 0; round < 5; round += 1) {
    await fake.clock.advance(60_000)
    await settle()
  }
  expect(workloads.book.find('a')?.observed.connected).toBe(true)
})
