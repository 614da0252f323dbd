import { describe, expect } from 'vitest'
import type { FakeDaemon } from '@toolhaven/fakes/fake-daemon'
import { done, scenario, send } from '@toolhaven/testing/scenario'
import { settle } from '@toolhaven/fakes/manual-clock'

const WEB = { name: 'web', image: 'npx://web@1.0.0' }
const LISTED = { network: { outbound: { allow_host: ['a.example'], allow_port: [443] } } }

const see = (fake: FakeDaemon, host: string, port: number, outcome: 'reached' | 'unlisted' = 'reached') =>
  fake.egress.events.onSeen('web', { host, port, outcome, ...(outcome === 'reached' && { speaks: 'tls' }) })

async function observed(fake: FakeDaemon, change: object = {}) {
  await done(fake, 'POST /api/v1beta/workloads', { ...WEB, network_isolation_mode: 'observe', ...change })
  await settle()
}

async function detailsOf(fake: FakeDaemon) {
  const { text } = await send(fake, 'GET /api/v1beta/workloads/web')
  return JSON.parse(text)
}

describe('what is learned of a workload', () => {
  scenario('is the smallest profile, with the evidence', {
    given: async (fake) => {
      await observed(fake)
      see(fake, 'api.example.com', 443)
      see(fake, 'api.example.com', 443)
    },
    request: 'GET /api/v1beta/workloads/web/lesson',
    answers: {
      status: 200,
      matches: {
        mode: 'observe',
        permission_profile: { network: { outbound: { allow_host: ['api.example.com'], allow_port: [443] } } },
        evidence: [{ host: 'api.example.com', count: 2, blocked: 0 }],
      },
    },
    afterwards: async (fake) => {
      expect(await detailsOf(fake)).toMatchObject({
        network_isolation_mode: 'observe',
        status_context: 'observed: every public host is allowed; "thv learn web" shows what it used',
      })
      expect(fake.egress.rules.get('web')).toMatchObject({ allowAll: true })
    },
  })
  scenario('begins again when it is observed again, and not with any other change', {
    given: async (fake) => {
      await done(fake, 'POST /api/v1beta/workloads', { ...WEB, permission_profile: LISTED })
      await settle()
      see(fake, 'old.example', 443, 'unlisted')
      await done(fake, 'POST /api/v1beta/workloads/web/edit', { network_isolation_mode: 'observe' })
      await settle()
      see(fake, 'new.example', 443)
      await done(fake, 'POST /api/v1beta/workloads/web/edit', { env_vars: { A: 'b' } })
    },
    request: 'GET /api/v1beta/workloads/web/lesson',
    answers: { status: 200, matches: { evidence: [{ host: 'new.example' }] } },
  })
  scenario('is begun again, when the record of an observed workload was lost', {
    given: async (fake) => {
      await observed(fake)
      await fake.daemon.sightings.forget('web')
      await done(fake, 'POST /api/v1beta/workloads/web/restart')
    },
    request: 'GET /api/v1beta/workloads/web/lesson',
    answers: { status: 200, matches: { mode: 'observe', evidence: [] } },
  })
  scenario('outlives neither the workload nor its last connection', {
    given: async (fake) => {
      await observed(fake)
      see(fake, 'api.example.com', 443)
      await done(fake, 'DELETE /api/v1beta/workloads/web')
      see(fake, 'api.example.com', 443)
    },
    request: 'GET /api/v1beta/workloads/web/lesson',
    answers: { status: 404, text: /web not found/ },
    afterwards: (fake) => expect(fake.sightingsStore.records.size).toBe(0),
  })
  scenario('is nothing where nothing was seen', {
    given: (fake) => done(fake, 'POST /api/v1beta/workloads', WEB),
    request: 'GET /api/v1beta/workloads/web/lesson',
    answers: { status: 409, text: /"thv learn web --observe"/ },
  })
  scenario('is nothing for a remote server', {
    given: (fake) => done(fake, 'POST /api/v1beta/workloads', { name: 'web', url: 'https://mcp.example.com/mcp' }),
    request: 'GET /api/v1beta/workloads/web/lesson',
    answers: { status: 409, text: /its connections cannot be recorded/ },
  })
})

describe('to apply what was learned', () => {
  const request = 'POST /api/v1beta/workloads/web/lesson/apply'

  scenario('puts it in force, and the workload is observed no longer', {
    given: async (fake) => {
      await observed(fake)
      see(fake, 'api.example.com', 443)
    },
    request,
    body: {},
    answers: { status: 200, matches: { evidence: [{ host: 'api.example.com' }] } },
    afterwards: async (fake) => {
      const details = await detailsOf(fake)
      expect(details).toMatchObject({
        network_isolation: true,
        permission_profile: { network: { outbound: { allow_host: ['api.example.com'], allow_port: [443] } } },
        status: 'running',
        status_context: '',
      })
      expect(details).not.toHaveProperty('network_isolation_mode')
      expect(fake.egress.rules.get('web')).toEqual({
        allowHost: ['api.example.com'],
        allowPort: [443],
        allowAll: false,
      })
    },
  })
  scenario('adds what was blocked to the list in force', {
    given: async (fake) => {
      await done(fake, 'POST /api/v1beta/workloads', { ...WEB, permission_profile: LISTED })
      await settle()
      see(fake, 'b.example', 443, 'unlisted')
    },
    request,
    body: {
      permission_profile: { network: { outbound: { allow_host: ['a.example', 'b.example'], allow_port: [443] } } },
    },
    answers: { status: 200, matches: { mode: 'enforce' } },
    afterwards: (fake) => expect(fake.egress.rules.get('web')?.allowHost).toEqual(['a.example', 'b.example']),
  })
  scenario('takes the network from a server that used none', {
    given: (fake) => observed(fake),
    request,
    body: {},
    answers: { status: 200, matches: { permission_profile: { name: 'none' } } },
    afterwards: (fake) => expect(fake.runtime.instances.get('thv-web')?.spec.network).toBe('none'),
  })
  scenario('changes nothing when the server asked for more since the profile was shown', {
    given: async (fake) => {
      await observed(fake)
      see(fake, 'api.example.com', 443)
      see(fake, 'late.example', 443)
    },
    request,
    body: { permission_profile: { network: { outbound: { allow_host: ['api.example.com'], allow_port: [443] } } } },
    answers: { status: 409, text: /read it again/ },
    afterwards: (fake) => expect(fake.egress.rules.get('web')).toMatchObject({ allowAll: true }),
  })
  scenario('changes nothing when there is nothing to allow', {
    given: async (fake) => {
      await done(fake, 'POST /api/v1beta/workloads', { ...WEB, permission_profile: LISTED })
      await settle()
      see(fake, '10.0.0.1', 443, 'unlisted')
    },
    request,
    body: {},
    answers: { status: 409, text: /web has opened no connections that a profile could allow/ },
  })
  scenario('of an unknown workload', { request, body: {}, answers: { status: 404, text: /web not found/ } })
  scenario('with an unknown field', { request, body: { force: true }, answers: { status: 400, text: /force/ } })
})
