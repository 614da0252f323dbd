import { QueryClient } from '@tanstack/react-query'
import { createApiClient } from '@toolhaven/contract/client'
import { startFakeDaemon } from '@toolhaven/fakes/fake-daemon'
import { expect, test, vi } from 'vitest'

test('after an edit, a move or a start the list shows what the daemon has now', async () => {
  // What asks the daemon in a page wants to know where the page is.
  vi.stubGlobal('location', { origin: 'http://localhost' })
  const { applyEvents } = await import('./apply-event.ts')
  const { workloadsQuery } = await import('../queries.ts')
  vi.unstubAllGlobals()
  using fake = await startFakeDaemon()
  const api = createApiClient({ baseUrl: 'http://localhost', fetch: async (request) => fake.app.fetch(request) })
  const list = async () => (await api.call('listWorkloads', { query: { all: true } })).workloads
  const cache = new QueryClient()
  const group = () => cache.getQueryData(workloadsQuery.queryKey)?.map((server) => server.group)
  await api.call('createWorkload', { body: { name: 'web', image: 'npx://web@1.0.0' } })
  await cache.query({ ...workloadsQuery, queryFn: list })
  expect(group()).toEqual(['default'])
  await api.call('createGroup', { body: { name: 'team' } })
  await api.call('editWorkload', { params: { name: 'web' }, body: { group: 'team' } })
  const event = { workload: 'web', status: 'stopping', status_context: '' }
  applyEvents(cache, [{ event: 'workload', data: JSON.stringify(event) }])
  await expect.poll(group).toEqual(['team'])
  await api.call('createWorkload', { body: { name: 'later', image: 'npx://later@1.0.0' } })
  const started = { workload: 'later', status: 'starting', status_context: '' }
  applyEvents(cache, [{ event: 'workload', data: JSON.stringify(started) }])
  await expect.poll(() => cache.getQueryData(workloadsQuery.queryKey)?.map(({ name }) => name)).toContain('later')
})
