import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startFakeDaemon } from '@toolhaven/fakes/fake-daemon'
import { expect, test } from 'vitest'
import { createDaemonClient } from '../connect/daemon-client.ts'
import { listenOnSocket } from '../daemon/listen.ts'
import { waitForOutcome } from '../output/wait-for-outcome.ts'
import { carryOut } from './carry-out.ts'

test('a port that is refused does not cost the workload', async () => {
  await using cleanUp = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), 'thv-a-'))
  cleanUp.defer(() => rm(folder, { recursive: true, force: true }))
  const fake = await startFakeDaemon()
  const { close } = await listenOnSocket(fake.socketApp, join(folder, 's'))
  cleanUp.defer(close)
  cleanUp.defer(() => fake[Symbol.dispose]())
  const client = createDaemonClient({ socketPath: join(folder, 's') })
  const signal = AbortSignal.timeout(60_000)
  const context = { out: { transient: () => undefined, note: () => undefined }, signal }
  const image = 'npx://web@1.0.0'
  for (const [name, proxy_port] of [
    ['web', 19_000],
    ['other', 19_100],
  ] as const)
    await client.call('createWorkload', { body: { name, image, proxy_port }, query: {} }, signal)
  await waitForOutcome(context, client, ['web', 'other'], 'run')

  const workloads = [{ name: 'web', image, proxy_port: 19_100 }]
  const manifest = { format: 1 as const, name: 'm', groups: [], clients: [], workloads }
  const fields = [{ field: 'proxy_port', from: 19_000, to: 19_100 }]
  const change = { action: 'replace', kind: 'workload', name: 'web', fields } as const
  const [outcome] = await carryOut({ context, client, manifest }, [{ ...change, fields }])
  expect(outcome).toMatchObject({ outcome: 'failed', reason: expect.stringContaining('web stays at port 19000') })
  const { workloads: present } = await client.call('listWorkloads', { query: { all: true } }, signal)
  const ports = Object.fromEntries(present.map(({ name, port }) => [name, port]))
  expect(ports).toEqual({ other: 19_100, web: 19_000 })
})
