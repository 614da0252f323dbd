import { describe } from 'vitest'
import { done, scenario } from '@toolhaven/testing/scenario'

describe('what confines a workload', () => {
  scenario('is what the runtime sees of its instance', {
    given: (fake) => done(fake, 'POST /api/v1beta/workloads', { name: 'web', image: 'npx://web@1.0.0' }),
    request: 'GET /api/v1beta/workloads/web/isolation',
    answers: { status: 200, matches: { capabilities: [], network: 'none' } },
  })
  scenario('is nothing while it does not run', {
    given: async (fake) => {
      await done(fake, 'POST /api/v1beta/workloads', { name: 'web', image: 'npx://web@1.0.0' })
      await done(fake, 'POST /api/v1beta/workloads/web/stop')
    },
    request: 'GET /api/v1beta/workloads/web/isolation',
    answers: { status: 409, text: /web is not running/ },
  })
  scenario('is nothing for a remote server', {
    given: (fake) => done(fake, 'POST /api/v1beta/workloads', { name: 'far', url: 'https://mcp.example.com/mcp' }),
    request: 'GET /api/v1beta/workloads/far/isolation',
    answers: { status: 409, text: /has no isolation here/ },
  })
  scenario('is not found for an unknown workload', {
    request: 'GET /api/v1beta/workloads/ghost/isolation',
    answers: { status: 404, text: /ghost not found/ },
  })
})
