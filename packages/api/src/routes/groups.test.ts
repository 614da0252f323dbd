import { describe, expect } from 'vitest'
import type { FakeDaemon } from '@toolhaven/fakes/fake-daemon'
import { done, scenario, send } from '@toolhaven/testing/scenario'

const research = (fake: FakeDaemon) => done(fake, 'POST /api/v1beta/groups', { name: 'research' })
const member = (fake: FakeDaemon, name: string) =>
  done(fake, 'POST /api/v1beta/workloads', { name, image: 'npx://web@1.0.0', group: 'research' })
const NONE = { status: 204, headers: { 'content-length': null, 'content-type': null } } as const

describe('groups', () => {
  scenario('begin with the default one', {
    request: 'GET /api/v1beta/groups',
    answers: { status: 200, json: { groups: [{ name: 'default', registered_clients: [] }] } },
  })
  scenario('are sorted by name', {
    given: async (fake) => {
      await research(fake)
      await done(fake, 'POST /api/v1beta/groups', { name: 'a.b-c_1' })
    },
    request: 'GET /api/v1beta/groups',
    answers: { status: 200, matches: { groups: [{ name: 'a.b-c_1' }, { name: 'default' }, { name: 'research' }] } },
  })
  scenario('are created', {
    request: 'POST /api/v1beta/groups',
    body: { name: 'research' },
    answers: { status: 201, json: { name: 'research' } },
    afterwards: (fake) => {
      expect(fake.groupStore.records.get('research')).toEqual({ name: 'research', registeredClients: [] })
      expect(fake.journal.entries).toMatchObject([{ action: 'create-group', target: 'research' }])
    },
  })
  for (const given of [research, () => undefined]) {
    const name = given === research ? 'research' : 'default'
    scenario(`exist once: ${name}`, {
      given,
      request: 'POST /api/v1beta/groups',
      body: { name },
      answers: { status: 409, text: `group ${name} already exists` },
    })
  }
  for (const name of ['', 'Research', '-x', '../x', 'a..b', 'x'.repeat(101), 'a b', 7, null]) {
    scenario(`cannot be named ${JSON.stringify(name).slice(0, 30)}`, {
      request: 'POST /api/v1beta/groups',
      body: { name },
      answers: { status: 400, text: /^name: / },
    })
  }
  scenario('need a name', { request: 'POST /api/v1beta/groups', body: {}, answers: { status: 400, text: /^name: / } })
  scenario('have no other field', {
    request: 'POST /api/v1beta/groups',
    body: { name: 'x', clients: ['Cursor'] },
    answers: { status: 400, text: /unknown field clients/ },
  })
  scenario('show their clients', {
    given: async (fake) => {
      await research(fake)
      await done(fake, 'POST /api/v1beta/clients/register', { names: ['VSCode', 'Cursor'], groups: ['research'] })
    },
    request: 'GET /api/v1beta/groups/research',
    answers: { status: 200, json: { name: 'research', registered_clients: ['Cursor', 'VSCode'] } },
  })
  scenario('of that name do not exist', {
    request: 'GET /api/v1beta/groups/ghosts',
    answers: { status: 404, text: /^group ghosts not found/ },
  })
  for (const request of ['GET /api/v1beta/groups/UP', 'DELETE /api/v1beta/groups/..%2fx']) {
    scenario(`${request} names the fault`, { request, answers: { status: 400, text: /^name: / } })
  }
})

describe('deleting a group', () => {
  scenario('moves its workloads to the default group without a restart', {
    given: async (fake) => {
      await research(fake)
      await member(fake, 'web')
    },
    request: 'DELETE /api/v1beta/groups/research',
    answers: NONE,
    afterwards: async (fake) => {
      expect(JSON.parse((await send(fake, 'GET /api/v1beta/workloads/web')).text)).toMatchObject({
        group: 'default',
        status: 'running',
      })
      expect(fake.runtime.instances.get('thv-web')?.handle.id).toBe('id-1')
      expect(fake.groupStore.records.has('research')).toBe(false)
      expect((await send(fake, 'GET /api/v1beta/groups/research')).status).toBe(404)
    },
  })
  scenario('with its workloads deletes them', {
    given: async (fake) => {
      await research(fake)
      await member(fake, 'web')
      await done(fake, 'POST /api/v1beta/workloads', { name: 'other', image: 'npx://web@1.0.0' })
    },
    request: 'DELETE /api/v1beta/groups/research?with-workloads=true',
    answers: NONE,
    afterwards: (fake) => expect([...fake.workloadStore.records.keys()]).toEqual(['other']),
  })
  scenario('with with-workloads=false moves them', {
    given: async (fake) => {
      await research(fake)
      await member(fake, 'web')
    },
    request: 'DELETE /api/v1beta/groups/research?with-workloads=false',
    answers: NONE,
    afterwards: (fake) => expect(fake.workloadStore.records.get('web')?.config.group).toBe('default'),
  })
  scenario('takes the moved entries from its clients, unless they are in the default group', {
    given: async (fake) => {
      fake.clientFiles.installed.add('VSCode')
      await research(fake)
      await member(fake, 'web')
      await done(fake, 'POST /api/v1beta/clients', { name: 'Cursor', groups: ['research'] })
      await done(fake, 'POST /api/v1beta/clients', { name: 'VSCode', groups: ['research', 'default'] })
    },
    request: 'DELETE /api/v1beta/groups/research',
    answers: NONE,
    afterwards: async (fake) => {
      expect(fake.clientFiles.entries.get('Cursor')?.size).toBe(0)
      expect(fake.clientFiles.entries.get('VSCode')?.size).toBe(1)
      expect(JSON.parse((await send(fake, 'GET /api/v1beta/clients')).text)).toEqual([
        { name: 'VSCode', groups: ['default'] },
      ])
    },
  })
  scenario('is refused for the default group', {
    request: 'DELETE /api/v1beta/groups/default',
    answers: { status: 400, text: /^the group default cannot be deleted/ },
  })
  scenario('is refused for an unknown group', {
    request: 'DELETE /api/v1beta/groups/ghosts?with-workloads=true',
    answers: { status: 404, text: /^group ghosts not found/ },
  })
  for (const value of ['1', 'TRUE', '', 'yes']) {
    scenario(`is refused with with-workloads=${value}`, {
      given: research,
      request: `DELETE /api/v1beta/groups/research?with-workloads=${value}`,
      answers: { status: 400, text: /^with-workloads: / },
      afterwards: (fake) => expect(fake.groupStore.records.has('research')).toBe(true),
    })
  }
  scenario('is refused with another query', {
    given: research,
    request: 'DELETE /api/v1beta/groups/research?withWorkloads=true',
    answers: { status: 400, text: /unknown field withWorkloads/ },
  })
})
