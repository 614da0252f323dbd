import { expect, test } from 'vitest'
import { startFakeDaemon } from '@toolhaven/fakes/fake-daemon'
import { settle } from '@toolhaven/fakes/manual-clock'
import { createWorkload } from '../operations/create.ts'
import { EndedEarly } from './ended-early.ts'

test('a server that ended at its first greeting goes on starting until it runs', async () => {
  using fake = await startFakeDaemon()
  const statuses: string[] = []
  fake.daemon.events.subscribe(({ status }) => statuses.push(status))
  const connect = fake.gateway.connect.bind(fake.gateway)
  fake.gateway.connect = async (name, backend) => {
    fake.gateway.connect = connect
    if (backend.kind === 'auto') await backend.first.start?.()
    throw new EndedEarly(`The server ${name} did not answer.`, undefined)
  }
  await createWorkload(fake.daemon.workloads, { name: 'shy', image: 'npx://shy@1.0.0' })
  for (let round = 0; round < 20 && !statuses.includes('running'); round += 1) {
    await settle()
    await fake.clock.advance(1_000)
  }
  expect(new Set(statuses)).toEqual(new Set(['starting', 'running']))
})
