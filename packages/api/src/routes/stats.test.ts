import { describe } from 'vitest'
import { done, scenario } from '@toolhaven/testing/scenario'

const web = { name: 'web', image: 'npx://web@1.0.0' }

describe('what workloads use', () => {
  scenario('is what the runtime measures and the gateway counts', {
    given: async (fake) => {
      await done(fake, 'POST /api/v1beta/workloads', web)
      fake.gateway.traffics.set('web', { sessions: 2, calls: 12, errors: 1, p50Ms: 8.04 })
    },
    request: 'GET /api/v1beta/stats',
    answers: {
      status: 200,
      json: {
        workloads: [
          {
            ...{ name: 'web', status: 'running', memory_bytes: 67_108_864, pids: 11 },
            ...{ sessions: 2, calls_per_minute: 12, errors_per_minute: 1, p50_ms: 8 },
          },
        ],
      },
    },
  })
  scenario('leaves stopped ones out', {
    given: async (fake) => {
      await done(fake, 'POST /api/v1beta/workloads', web)
      await done(fake, 'POST /api/v1beta/workloads/web/stop')
    },
    request: 'GET /api/v1beta/stats',
    answers: { status: 200, json: { workloads: [] } },
  })
  scenario('says of a stopped one that it does not run', {
    given: async (fake) => {
      await done(fake, 'POST /api/v1beta/workloads', web)
      await done(fake, 'POST /api/v1beta/workloads/web/stop')
    },
    request: 'GET /api/v1beta/stats?all=true',
    answers: { status: 200, matches: { workloads: [{ name: 'web', not_measured: 'it is not running' }] } },
  })
  scenario('are none of another group', {
    given: async (fake) => {
      await done(fake, 'POST /api/v1beta/groups', { name: 'research' })
      await done(fake, 'POST /api/v1beta/workloads', web)
    },
    request: 'GET /api/v1beta/stats?group=research',
    answers: { status: 200, json: { workloads: [] } },
  })
  scenario('are not found for an unknown group', {
    request: 'GET /api/v1beta/stats?group=ghosts',
    answers: { status: 404, text: /ghosts not found/ },
  })
  scenario('can be asked of one', {
    given: (fake) => done(fake, 'POST /api/v1beta/workloads', web),
    request: 'GET /api/v1beta/workloads/web/stats',
    answers: { status: 200, matches: { name: 'web', memory_bytes: 67_108_864, sessions: 0, calls_per_minute: 0 } },
  })
  scenario('are not measured of a remote server', {
    given: (fake) => done(fake, 'POST /api/v1beta/workloads', { name: 'far', url: 'https://mcp.example.com/mcp' }),
    request: 'GET /api/v1beta/workloads/far/stats',
    answers: { status: 200, matches: { not_measured: 'it is a remote server, which does not run on this machine' } },
  })
  scenario('are not found for an unknown workload', {
    request: 'GET /api/v1beta/workloads/ghost/stats',
    answers: { status: 404, text: /ghost not found/ },
  })
})
