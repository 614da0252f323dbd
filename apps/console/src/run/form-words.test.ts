import { expect, test } from 'vitest'
import { createApiClient } from '@toolhaven/contract/client'
import { startFakeDaemon } from '@toolhaven/fakes/fake-daemon'
import { inFormWords } from './form-words.ts'

/** Fields of requests, which a form does not show. */
const FIELDS = /env_vars|cmd_arguments|accept_mounts|permission_profile|in headers\b/

test('a plan of the daemon is told in the words of the form', async () => {
  using fake = await startFakeDaemon()
  const api = createApiClient({ baseUrl: 'http://localhost', fetch: async (request) => fake.app.fetch(request) })
  const problemsOf = async (image: string, more: object = {}) =>
    (await api.plan('createWorkload', { body: { image, ...more } })).problems.map(({ message }) => message)
  const [missing = ''] = await problemsOf('needs-key')
  expect(missing).toMatch(FIELDS)
  expect(inFormWords(missing)).toBe(
    'needs-key needs API_KEY (a secret), REGION. Fill it in under Variables and secrets',
  )
  const [group = ''] = await problemsOf('everything', { group: 'nowhere' })
  expect(inFormWords(group)).toBe('There is no group nowhere. Create it under Groups first')
})
