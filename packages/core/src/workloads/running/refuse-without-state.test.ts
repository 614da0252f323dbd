import { expect, test } from 'vitest'
import { type FakeDaemon, startFakeDaemon } from '@toolhaven/fakes/fake-daemon'
import { settle } from '@toolhaven/fakes/manual-clock'
import { createWorkload } from '../operations/create.ts'

const LOSS = 'the state folder /state was removed'
const PACKAGE = 'npx://web@1.0.0'

async function start(fake: FakeDaemon, name: string) {
  await createWorkload(fake.daemon.workloads, { name, image: PACKAGE, session_mode: 'isolated' })
  await settle()
  return fake.daemon.workloads.book.find(name)?.observed
}

async function pass(fake: FakeDaemon) {
  for (let round = 0; round < 5; round += 1) {
    await settle()
    await fake.clock.advance(60_000)
  }
}

test('without its state folder the daemon starts no workload and no server of a client, and says why', async () => {
  using fake = await startFakeDaemon()
  expect(await start(fake, 'before')).toMatchObject({ connected: true })
  const backend = fake.gateway.backends.get('before')
  if (backend?.kind !== 'isolated') throw new Error('the sessions share a server')
  fake.host.stateLoss = async () => LOSS
  await start(fake, 'after')
  await pass(fake)
  expect([...fake.runtime.instances.keys()]).toEqual(['thv-before'])
  const { context } = fake.daemon.workloads.book.status('after')
  expect(context).toContain(`${LOSS}, so this daemon starts nothing`)
  await expect(backend.startAnother(new AbortController().signal)).rejects.toThrow(LOSS)
})

test('a server that ends without the state folder is not started again', async () => {
  using fake = await startFakeDaemon()
  await start(fake, 'web')
  fake.host.stateLoss = async () => LOSS
  let starts = 0
  const create = fake.runtime.create.bind(fake.runtime)
  fake.runtime.create = async (spec) => {
    starts += 1
    return create(spec)
  }
  fake.runtime.crash('web')
  await pass(fake)
  expect(starts).toBe(0)
})
