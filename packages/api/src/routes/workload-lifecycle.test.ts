import { describe, expect } from 'vitest'
import type { FakeDaemon } from '@toolhaven/fakes/fake-daemon'
import { done, scenario, send } from '@toolhaven/testing/scenario'

const create = (fake: FakeDaemon, ...names: string[]) =>
  Promise.all(names.map((name) => done(fake, 'POST /api/v1beta/workloads', { name, image: 'npx://web@1.0.0' })))

const removing = async (fake: FakeDaemon) => {
  await create(fake, 'web')
  fake.runtime.whileStopping = () => new Promise(() => {})
  await done(fake, 'DELETE /api/v1beta/workloads/web')
}

const statusOf = async (fake: FakeDaemon, name: string) => {
  const answered = await send(fake, `GET /api/v1beta/workloads/${name}/status`)
  return answered.status === 404 ? 'gone' : JSON.parse(answered.text).status
}

const ACCEPTED = { status: 202, headers: { 'content-length': '0', 'content-type': null } } as const

describe('stop', () => {
  scenario('is accepted without a body and stops the workload', {
    given: (fake) => create(fake, 'web'),
    request: 'POST /api/v1beta/workloads/web/stop',
    answers: ACCEPTED,
    afterwards: async (fake) => {
      expect(await statusOf(fake, 'web')).toBe('stopped')
      expect(fake.runtime.instances.size).toBe(0)
      expect(fake.gateway.endpoints.size).toBe(0)
    },
  })
  scenario('is accepted for a stopped workload too', {
    given: async (fake) => {
      await create(fake, 'web')
      await done(fake, 'POST /api/v1beta/workloads/web/stop')
    },
    request: 'POST /api/v1beta/workloads/web/stop',
    answers: ACCEPTED,
    afterwards: async (fake) => expect(await statusOf(fake, 'web')).toBe('stopped'),
  })
  scenario('shows stopping while it lasts', {
    given: async (fake) => {
      await create(fake, 'web')
      fake.runtime.whileStopping = () => new Promise(() => {})
    },
    request: 'POST /api/v1beta/workloads/web/stop',
    answers: ACCEPTED,
    afterwards: async (fake) => expect(await statusOf(fake, 'web')).toBe('stopping'),
  })
  scenario('ends a start that is under way', {
    given: async (fake) => {
      fake.runtime.whilePreparing = (signal) =>
        new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
      await create(fake, 'web')
    },
    request: 'POST /api/v1beta/workloads/web/stop',
    answers: ACCEPTED,
    afterwards: async (fake) => expect(await statusOf(fake, 'web')).toBe('stopped'),
  })
  scenario('takes the entry out of client files', {
    given: async (fake) => {
      await create(fake, 'web')
      await done(fake, 'POST /api/v1beta/clients', { name: 'Cursor' })
      expect(fake.clientFiles.entries.get('Cursor')?.size).toBe(1)
    },
    request: 'POST /api/v1beta/workloads/web/stop',
    answers: ACCEPTED,
    afterwards: (fake) => expect(fake.clientFiles.entries.get('Cursor')?.size).toBe(0),
  })
})

describe('restart', () => {
  scenario('of a running workload really restarts it at the same port', {
    given: (fake) => create(fake, 'web'),
    request: 'POST /api/v1beta/workloads/web/restart',
    answers: ACCEPTED,
    afterwards: async (fake) => {
      expect(await statusOf(fake, 'web')).toBe('running')
      expect(fake.runtime.instances.get('thv-web')?.handle.id).toBe('id-2')
      expect(fake.gateway.endpoints.get('web')?.port).toBe(fake.workloadStore.records.get('web')?.port)
    },
  })
  scenario('starts a stopped workload', {
    given: async (fake) => {
      await create(fake, 'web')
      await done(fake, 'POST /api/v1beta/workloads/web/stop')
    },
    request: 'POST /api/v1beta/workloads/web/restart',
    answers: ACCEPTED,
    afterwards: async (fake) => expect(await statusOf(fake, 'web')).toBe('running'),
  })
})

describe('delete', () => {
  scenario('removes everything and frees the name', {
    given: (fake) => create(fake, 'web'),
    request: 'DELETE /api/v1beta/workloads/web',
    answers: ACCEPTED,
    afterwards: async (fake) => {
      expect(await statusOf(fake, 'web')).toBe('gone')
      expect(fake.workloadStore.records.size).toBe(0)
      expect(fake.runtime.instances.size).toBe(0)
      expect(fake.gateway.endpoints.size).toBe(0)
      await create(fake, 'web')
    },
  })
  scenario('shows removing while it lasts', {
    given: async (fake) => {
      await create(fake, 'web')
      fake.runtime.whileStopping = () => new Promise(() => {})
    },
    request: 'DELETE /api/v1beta/workloads/web',
    answers: ACCEPTED,
    afterwards: async (fake) => {
      expect(await statusOf(fake, 'web')).toBe('removing')
      expect(JSON.parse((await send(fake, 'GET /api/v1beta/workloads/web')).text)).toMatchObject({ status: 'removing' })
    },
  })
})

for (const [verb, request] of [
  ['stop', 'POST /api/v1beta/workloads/NAME/stop'],
  ['restart', 'POST /api/v1beta/workloads/NAME/restart'],
  ['delete', 'DELETE /api/v1beta/workloads/NAME'],
] as const) {
  describe(`${verb} is refused`, () => {
    scenario('for an unknown workload', {
      request: request.replace('NAME', 'ghost'),
      answers: { status: 404, text: 'workload ghost not found; GET /api/v1beta/workloads?all=true lists them' },
    })
    scenario('for the name in another case', {
      given: (fake) => create(fake, 'web'),
      request: request.replace('NAME', 'WEB'),
      answers: { status: 404, text: /^workload WEB not found/ },
      afterwards: async (fake) => expect(await statusOf(fake, 'web')).toBe('running'),
    })
    scenario('for one being removed', {
      given: removing,
      request: request.replace('NAME', 'web'),
      answers: { status: 404, text: /^workload web is being removed/ },
    })
    for (const name of ['-rf', '..%2f..%2fetc', 'a%20b', '%2e%2e%2fx', 'x'.repeat(101)]) {
      scenario(`for the malformed name ${name.slice(0, 20)}`, {
        request: request.replace('NAME', name),
        answers: { status: 400, text: /^name: / },
      })
    }
    scenario('with a query it does not know', {
      given: (fake) => create(fake, 'web'),
      request: `${request.replace('NAME', 'web')}?force=true`,
      answers: { status: 400, text: 'unknown query parameter force' },
    })
  })
}

const outcomes = { stop: 'stopped', restart: 'running', delete: 'gone' } as const

for (const [verb, request] of [
  ['stop', 'POST /api/v1beta/workloads/stop'],
  ['restart', 'POST /api/v1beta/workloads/restart'],
  ['delete', 'POST /api/v1beta/workloads/delete'],
] as const) {
  describe(`bulk ${verb}`, () => {
    scenario('by names touches these only', {
      given: (fake) => create(fake, 'a', 'b', 'c'),
      request,
      body: { names: ['a', 'b', 'a'] },
      answers: ACCEPTED,
      afterwards: async (fake) => {
        expect(await statusOf(fake, 'a')).toBe(outcomes[verb])
        expect(await statusOf(fake, 'b')).toBe(outcomes[verb])
        expect(await statusOf(fake, 'c')).toBe('running')
        expect(fake.workloadStore.records.get('c')?.generation).toBe(1)
      },
    })
    scenario('by group touches its members only', {
      given: async (fake) => {
        await done(fake, 'POST /api/v1beta/groups', { name: 'research' })
        await create(fake, 'a')
        await done(fake, 'POST /api/v1beta/workloads', { name: 'b', image: 'npx://web@1.0.0', group: 'research' })
      },
      request,
      body: { group: 'research' },
      answers: ACCEPTED,
      afterwards: async (fake) => {
        expect(await statusOf(fake, 'b')).toBe(outcomes[verb])
        expect(fake.workloadStore.records.get('a')).toMatchObject({ wanted: 'running', generation: 1 })
      },
    })
    scenario('of an empty group is accepted', { request, body: { group: 'default' }, answers: ACCEPTED })
    scenario('with unknown names lists them all and does nothing', {
      given: (fake) => create(fake, 'a'),
      request,
      body: { names: ['a', 'x', 'y'] },
      answers: { status: 404, text: /^workload x, y not found/ },
      afterwards: (fake) =>
        expect(fake.workloadStore.records.get('a')).toMatchObject({ wanted: 'running', generation: 1 }),
    })
    scenario('with one being removed does nothing', {
      given: removing,
      request,
      body: { names: ['web'] },
      answers: { status: 404, text: /^workload web not found/ },
    })
    scenario('of an unknown group', {
      request,
      body: { group: 'ghosts' },
      answers: { status: 404, text: /^group ghosts not found/ },
    })
    for (const body of [{}, { names: [] }, { names: ['a'], group: 'default' }, { names: [], group: 'default' }]) {
      scenario(`with ${JSON.stringify(body)}`, {
        request,
        body,
        answers: { status: 400, text: /exactly one of names/ },
      })
    }
    for (const body of [
      { names: 'a' },
      { names: [1] },
      { names: ['../x'] },
      { group: '' },
      { group: 'UP' },
      { names: null },
      [],
      null,
      1,
      'x',
    ]) {
      scenario(`with the body ${JSON.stringify(body)}`, {
        request,
        body: JSON.stringify(body),
        answers: { status: 400 },
      })
    }
    scenario('with an unknown field', {
      request,
      body: { names: ['a'], force: true },
      answers: { status: 400, text: /unknown field force/ },
    })
  })
}
