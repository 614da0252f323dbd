import { expect, test } from 'vitest'
import { createApiClient } from '@toolhaven/contract/client'
import { type FakeDaemon, startFakeDaemon } from '@toolhaven/fakes/fake-daemon'
import { EMPTY_FORM, type RunForm } from './run-form.ts'
import { type Attempt, runServer } from './run-server.ts'

const apiOf = (fake: FakeDaemon) =>
  createApiClient({ baseUrl: 'http://localhost', fetch: async (request) => fake.app.fetch(request) })

/** The secrets that are stored, and what each server gets. */
async function secretsIn(fake: FakeDaemon) {
  const api = apiOf(fake)
  const { keys } = await api.call('listSecrets', {}).catch(() => ({ keys: [] }))
  const values = keys.map(async ({ key }) => [key, await fake.daemon.secrets.read(key)] as const)
  return Object.fromEntries(await Promise.all(values))
}

const form = (value: string): RunForm => ({
  ...{ ...EMPTY_FORM, image: 'npx://web@1.0.0', name: 'web' },
  variables: [{ name: 'API_KEY', value, isSecret: true }],
})
const attempt = (of: RunForm): Attempt => ({ form: of, stored: new Map() })

test('a secret of another server keeps its value', async () => {
  using fake = await startFakeDaemon()
  const api = apiOf(fake)
  await api.call('setupSecrets', { body: { provider_type: 'encrypted' } })
  await api.call('createSecret', { body: { key: 'web-API_KEY', value: 'of another' } })
  await runServer(api, attempt(form('mine')))
  expect(await secretsIn(fake)).toEqual({ 'web-API_KEY': 'of another', 'web-API_KEY-2': 'mine' })
  const { secrets } = await api.call('getWorkload', { params: { name: 'web' } })
  expect(secrets).toEqual([{ name: 'web-API_KEY-2', target: 'API_KEY' }])
})

test('a header that is a key is stored with the first secret, and the server gets it by name', async () => {
  using fake = await startFakeDaemon()
  const api = apiOf(fake)
  const headers = [{ name: 'Authorization', value: 'Bearer s3cret', isSecret: true }]
  const remote = { ...EMPTY_FORM, source: 'remote' as const, url: 'https://example.com/mcp', name: 'far', headers }
  await runServer(api, attempt(remote))
  expect(await secretsIn(fake)).toEqual({ 'far-Authorization': 'Bearer s3cret' })
  const { headers_from_secrets } = await api.call('getWorkload', { params: { name: 'far' } })
  expect(headers_from_secrets).toEqual({ Authorization: 'far-Authorization' })
})

test('a refused request stores nothing', async () => {
  using fake = await startFakeDaemon()
  const api = apiOf(fake)
  const refused = runServer(api, attempt({ ...form('mine'), group: 'ghosts' }))
  await expect(refused).rejects.toThrow(/ghosts/)
  expect(await secretsIn(fake)).toEqual({})
})

test('a retry gives its own secret the new value and changes the same server', async () => {
  using fake = await startFakeDaemon()
  const api = apiOf(fake)
  const first = attempt(form('wrong'))
  const { name } = await runServer(api, first)
  await runServer(api, { ...first, form: form('right'), made: name })
  expect(await secretsIn(fake)).toEqual({ 'web-API_KEY': 'right' })
  expect((await api.call('listWorkloads', { query: { all: true } })).workloads).toHaveLength(1)
})
