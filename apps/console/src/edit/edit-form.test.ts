import type { CreateRequest } from '@toolhaven/contract/workload-request'
import { createApiClient } from '@toolhaven/contract/client'
import { type FakeDaemon, startFakeDaemon } from '@toolhaven/fakes/fake-daemon'
import { expect, test } from 'vitest'
import type { RunForm } from '../run/run-form.ts'
import { type FilledBase, fillIn } from './edit-base.ts'
import { editServer } from './edit-server.ts'
import { rebase } from './rebase.ts'
import { undoOf, updateOf } from './update-of.ts'

const apiOf = (fake: FakeDaemon) =>
  createApiClient({ baseUrl: 'http://localhost', fetch: async (request) => fake.app.fetch(request) })

async function baseOf(fake: FakeDaemon, name = 'web'): Promise<FilledBase> {
  const api = apiOf(fake)
  const { request, revision } = await api.call('getWorkloadRequest', { params: { name } })
  const details = await api.call('getWorkload', { params: { name } })
  const { headers, headers_from_secrets } = details
  const known = { ...(headers && { headers }), ...(headers_from_secrets && { headers_from_secrets }) }
  return fillIn({ name, revision, request: { ...request, ...known }, details }, undefined)
}

async function run(fake: FakeDaemon, body: CreateRequest): Promise<FilledBase> {
  await apiOf(fake).call('createWorkload', { body: { name: 'web', ...body } })
  return baseOf(fake)
}

const withChange = ({ form }: FilledBase, change: Partial<RunForm>): RunForm => ({ ...form, ...change })

const rich: CreateRequest = {
  ...{ image: 'npx://web@1.0.0', env_vars: { LEVEL: 'info', MODE: '' }, cmd_arguments: ['--fast'], tools: ['echo'] },
  ...{ resources: { memory_mb: 256, pids: 64 }, limits: { requests_per_minute: 60, max_message_bytes: 1000 } },
  permission_profile: { network: { outbound: { allow_host: ['a.example.com'], allow_port: [443] } } },
  allow_hosts: ['localhost:5432'],
}

test('a form that nobody touched changes nothing, and holds what is configured', async () => {
  using fake = await startFakeDaemon()
  const base = await run(fake, rich)
  expect(updateOf(base, base.form)).toEqual({})
  expect(base.form).toMatchObject({
    ...{ network: 'hosts', hosts: 'a.example.com', ports: '443', moreHosts: 'localhost:5432', args: '--fast' },
    ...{ tools: 'echo', memory: '256', processes: '64', requests: '60' },
  })
})

test('only what was changed is sent, and limits that the form does not have stay', async () => {
  using fake = await startFakeDaemon()
  const base = await run(fake, rich)
  expect(updateOf(base, withChange(base, { args: '', requests: '', processes: '32' }))).toEqual({
    ...{ cmd_arguments: null, limits: { max_message_bytes: 1000 }, resources: { memory_mb: 256, pids: 32 } },
  })
})

test('an undo puts back the configuration that was there', async () => {
  using fake = await startFakeDaemon()
  const api = apiOf(fake)
  const base = await run(fake, rich)
  const variables = [{ name: 'OTHER', value: 'x', isSecret: false }]
  const form = withChange(base, { variables, network: 'none', moreHosts: '', tools: '', memory: '' })
  const update = await editServer(api, { base, form, stored: new Map() })
  const changed = await baseOf(fake)
  expect(changed.details).toMatchObject({ env_vars: { OTHER: 'x' }, tools: [], resources: { pids: 64 } })
  await api.call('editWorkload', { params: { name: 'web' }, body: undoOf(base, update) ?? {} })
  const { request, details } = await baseOf(fake)
  expect(request).toEqual(base.request)
  expect(details).toEqual({ ...base.details, status: details.status, status_context: details.status_context })
})

test('a header that is kept as a secret stays with changes of others, and a new one is stored first', async () => {
  using fake = await startFakeDaemon()
  const api = apiOf(fake)
  await api.call('setupSecrets', { body: { provider_type: 'encrypted' } })
  const base = await run(fake, {
    url: 'https://example.com/mcp',
    headers: { Authorization: 'Bearer old', 'X-Team': 'a' },
  })
  expect(base.form.headers).toEqual([
    { name: 'X-Team', value: 'a', isSecret: false },
    { name: 'Authorization', value: '', isSecret: true, stored: 'web-header-authorization' },
  ])
  const headers = [...base.form.headers, { name: 'X-Key', value: 'k-1', isSecret: true }]
  const update = await editServer(api, { base, form: withChange(base, { headers }), stored: new Map() })
  const { details } = await baseOf(fake)
  expect(details.headers_from_secrets).toEqual({ Authorization: 'web-header-authorization', 'X-Key': 'web-X-Key' })
  expect(await fake.daemon.secrets.read('web-X-Key')).toBe('k-1')
  expect(await fake.daemon.secrets.read('web-header-authorization')).toBe('Bearer old')
  expect(undoOf(base, update)).toEqual({ headers_from_secrets: { Authorization: 'web-header-authorization' } })
  expect(undoOf(base, { headers: { authorization: 'Bearer new' } })).toBeUndefined()
})

test('an edit of a configuration that somebody else changed is refused, and stores nothing', async () => {
  using fake = await startFakeDaemon()
  const api = apiOf(fake)
  const base = await run(fake, { image: 'npx://web@1.0.0' })
  await api.call('editWorkload', { params: { name: 'web' }, body: { tools: ['echo'] } })
  const variables = [{ name: 'KEY', value: 's3cret', isSecret: true }]
  const attempt = editServer(api, { base, form: withChange(base, { variables }), stored: new Map() })
  await expect(attempt).rejects.toThrow(/changed in the meantime/)
  expect(await api.call('listSecrets', {}).catch(() => ({ keys: [] }))).toEqual({ keys: [] })
})

test('what was typed stays on what somebody else changed, each variable for itself', async () => {
  using fake = await startFakeDaemon()
  const base = await run(fake, rich)
  const [level, mode] = [
    { name: 'LEVEL', value: 'info', isSecret: false },
    { name: 'MODE', value: '', isSecret: false },
  ]
  const typed = [{ ...level, value: 'debug' }, mode, { name: '', value: 'half', isSecret: false }]
  const mine = withChange(base, { variables: typed, args: '--mine' })
  const added = { name: 'ADDED', value: '1', isSecret: false }
  const now = withChange(base, { variables: [level, added], args: '--theirs', tools: 'echo\nadd' })
  expect(rebase(base.form, mine, now)).toEqual({
    form: { ...now, args: '--mine', variables: [typed[0], added, typed[2]] },
    theirs: ['Variables and secrets', 'Arguments', 'Tools'],
    both: ['Variables and secrets', 'Arguments'],
  })
})
