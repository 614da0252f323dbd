import { type FakeDaemon, startFakeDaemon } from '@toolhaven/fakes/fake-daemon'
import { settle } from '@toolhaven/fakes/manual-clock'
import { expect, test } from 'vitest'
import { createWorkload } from '../operations/create.ts'
import { changeLifecycle } from '../operations/lifecycle.ts'

const keysOf = async ({ daemon }: FakeDaemon) => (await daemon.secrets.list()).map(({ key }) => key)

async function remove(fake: FakeDaemon, name: string): Promise<void> {
  await changeLifecycle(fake.daemon.workloads, name, 'delete')
  await settle()
  expect(fake.workloadStore.records.has(name)).toBe(false)
}

test('secrets that were made from a request go with the workload, and those of the user stay', async () => {
  using fake = await startFakeDaemon()
  await fake.daemon.secrets.setUp('encrypted', undefined)
  await fake.daemon.secrets.create('mine', 'value')
  await createWorkload(fake.daemon.workloads, {
    ...{ name: 'far', url: 'https://mcp.example.com/mcp', transport: 'streamable-http' },
    headers: { Authorization: 'Bearer abcdefgh' },
    oauth_config: { issuer: 'https://id.example.com', client_id: 'me', client_secret: 'very secret' },
  })
  await createWorkload(fake.daemon.workloads, {
    ...{ name: 'near', image: 'npx://near@1.0.0' },
    secrets: [{ name: 'mine', target: 'KEY' }],
  })
  expect(await keysOf(fake)).toEqual(['far-header-authorization', 'far-oauth-client-secret', 'mine'])
  await remove(fake, 'far')
  await remove(fake, 'near')
  expect(await keysOf(fake)).toEqual(['mine'])
})

test('a secret that another workload refers to stays until that one is gone', async () => {
  using fake = await startFakeDaemon()
  await fake.daemon.secrets.setUp('encrypted', undefined)
  await createWorkload(fake.daemon.workloads, {
    ...{ name: 'far', url: 'https://mcp.example.com/mcp', transport: 'streamable-http' },
    headers: { Authorization: 'Bearer abcdefgh' },
  })
  await createWorkload(fake.daemon.workloads, {
    ...{ name: 'near', image: 'npx://near@1.0.0' },
    secrets: [{ name: 'far-header-authorization', target: 'KEY' }],
  })
  await remove(fake, 'far')
  expect(await keysOf(fake)).toEqual(['far-header-authorization'])
})
