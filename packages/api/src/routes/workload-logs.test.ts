import { describe } from 'vitest'
import type { FakeDaemon } from '@toolhaven/fakes/fake-daemon'
import { done, scenario } from '@toolhaven/testing/scenario'

async function restarted(fake: FakeDaemon): Promise<void> {
  await done(fake, 'POST /api/v1beta/secrets', { provider_type: 'encrypted' })
  await done(fake, 'POST /api/v1beta/secrets/default/keys', { key: 'token', value: 'hunter2-hunter2' })
  const secrets = [{ name: 'token', target: 'TOKEN' }]
  await done(fake, 'POST /api/v1beta/workloads', { name: 'web', image: 'npx://web@1.0.0', secrets })
  fake.logs.append('web', 'stdout', 'the first life')
  await done(fake, 'POST /api/v1beta/workloads/web/restart')
  for (let line = 1; line <= 130; line += 1) fake.logs.append('web', 'stderr', `line ${line} hunter2-hunter2`)
}

const lines = (...texts: string[]) => ({ lines: texts.map((text) => ({ text })) })

describe('lines of output with times and streams', () => {
  scenario('are the newest that were asked for, oldest first, with secrets masked', {
    given: restarted,
    request: 'GET /api/v1beta/workloads/web/logs/lines?tail=2',
    answers: {
      status: 200,
      matches: { lines: [{ stream: 'stderr', time: '1970-01-01T00:00:00.000Z' }, { stream: 'stderr' }] },
      text: /"line 129 [^"]*".*"line 130 /,
      notContain: ['hunter2-hunter2', 'line 128'],
    },
  })
  scenario('of the life before the latest start', {
    given: restarted,
    request: 'GET /api/v1beta/workloads/web/logs/lines?previous=true',
    answers: { status: 200, matches: lines('the first life') },
  })
  scenario('of an unknown workload', {
    request: 'GET /api/v1beta/workloads/ghost/logs/lines',
    answers: { status: 404, text: /^workload ghost not found/ },
  })
  for (const [query, told] of [
    ['tail=10001', /^tail: /],
    ['tail=many', /^tail: /],
    ['since=yesterday', /^since: /],
    ['lines=3', /unknown .*lines/],
  ] as const)
    scenario(`with ${query}`, {
      request: `GET /api/v1beta/workloads/web/logs/lines?${query}`,
      answers: { status: 400, text: told },
    })
})
