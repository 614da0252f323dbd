import { expect, test } from 'vitest'
import { startFakeDaemon } from '@toolhaven/fakes/fake-daemon'
import { settle } from '@toolhaven/fakes/manual-clock'
import { createWorkload } from '../operations/create.ts'
import { StayedSilent } from './stayed-silent.ts'

test('a server that answered nothing is an error at once, even if it ends when its input is closed', async () => {
  using fake = await startFakeDaemon()
  let starts = 0
  fake.gateway.connect = async (name, backend) => {
    starts += 1
    if (backend.kind !== 'auto') throw new Error('a server of its own')
    await backend.first.start?.()
    fake.runtime.crash(name, 0)
    throw new StayedSilent('it answered nothing', undefined)
  }
  await createWorkload(fake.daemon.workloads, { name: 'mute', image: 'npx://mute@1.0.0' })
  await expect.poll(() => starts, { timeout: 30_000 }).toBe(1)
  await settle()
  expect(fake.daemon.workloads.book.status('mute')).toEqual({ status: 'error', context: 'it answered nothing' })
  expect(starts).toBe(1)
})

test('a server that goes on running without an answer is told so, not that somebody removed it', async () => {
  using fake = await startFakeDaemon()
  const { runtime } = fake
  const remove = runtime.remove.bind(runtime)
  // Runtimes tell that an instance is gone before they answer.
  runtime.remove = async (handle) => {
    await remove(handle)
    await settle()
  }
  fake.gateway.connect = async (_name, backend) => {
    if (backend.kind !== 'auto') throw new Error('a server of its own')
    await backend.first.start?.()
    throw new StayedSilent('it answered nothing', undefined)
  }
  await createWorkload(fake.daemon.workloads, { name: 'mute', image: 'npx://mute@1.0.0' })
  await expect.poll(() => runtime.calls).toContain('remove thv-mute')
  await settle()
  expect(fake.daemon.workloads.book.status('mute')).toEqual({ status: 'error', context: 'it answered nothing' })
})
