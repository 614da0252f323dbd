import { describe, expect } from 'vitest'
import { CLIENT_TYPES } from '@toolhaven/contract/client-types'
import type { FakeDaemon } from '@toolhaven/fakes/fake-daemon'
import { done, scenario, send } from '@toolhaven/testing/scenario'

const research = (fake: FakeDaemon) => done(fake, 'POST /api/v1beta/groups', { name: 'research' })
const registered = async (fake: FakeDaemon) => {
  await research(fake)
  await done(fake, 'POST /api/v1beta/clients', { name: 'Cursor', groups: ['research', 'default'] })
}
const clientsOf = async (fake: FakeDaemon) => JSON.parse((await send(fake, 'GET /api/v1beta/clients')).text)

describe('clients', () => {
  scenario('are a bare array, empty at first', {
    request: 'GET /api/v1beta/clients',
    answers: { status: 200, json: [] },
  })
  scenario('are sorted by name, their groups too', {
    given: async (fake) => {
      await registered(fake)
      await done(fake, 'POST /api/v1beta/clients', { name: 'AmpCli' })
    },
    request: 'GET /api/v1beta/clients',
    answers: {
      status: 200,
      json: [
        { name: 'AmpCli', groups: ['default'] },
        { name: 'Cursor', groups: ['default', 'research'] },
      ],
    },
  })
  scenario('are all known to discovery, in the order of the specification', {
    given: registered,
    request: 'GET /api/v1beta/discovery/clients',
    answers: {
      status: 200,
      json: {
        clients: CLIENT_TYPES.map((type) => ({
          client_type: type,
          installed: type === 'Cursor',
          registered: type === 'Cursor',
        })),
      },
    },
  })
})

const withoutEntries = (groups: string[]) => ({
  ...{ client_type: 'Cursor', installed: true, groups },
  files: [
    {
      ...{ path: '/home/me/.cursor/mcp.json', exists: true, format: 'json', servers_key: 'mcpServers' },
      entries: [],
      ...{ adopted: [], foreign: [], notes: [] },
    },
  ],
})

describe('a preview of a client', () => {
  const twoServers = async (fake: FakeDaemon) => {
    await research(fake)
    await done(fake, 'POST /api/v1beta/workloads', { name: 'web', image: 'npx://web@1.0.0', proxy_port: 15_000 })
    const library = { name: 'library', image: 'npx://web@1.0.0', proxy_port: 15_001, group: 'research' }
    await done(fake, 'POST /api/v1beta/workloads', library)
  }
  const wouldWrite =
    (...names: string[]) =>
    async (_fake: FakeDaemon, { text }: { text: string }) =>
      expect(JSON.parse(text).files[0].entries).toEqual(
        names.map((name) => ({
          ...{ key: name, workload: name, change: 'add' },
          fields: { url: `http://127.0.0.1:${name === 'web' ? 15_000 : 15_001}/mcp` },
        })),
      )
  scenario('that is registered nowhere has no entries of ours', {
    given: twoServers,
    request: 'GET /api/v1beta/discovery/clients/cursor',
    answers: { status: 200, json: withoutEntries([]) },
  })
  scenario('shows the servers of the groups that it asks about, and registers nothing', {
    given: twoServers,
    request: 'GET /api/v1beta/discovery/clients/Cursor?groups=research,default',
    answers: { status: 200 },
    afterwards: async (fake, answer) => {
      await wouldWrite('library', 'web')(fake, answer)
      expect(JSON.parse(answer.text).groups).toEqual(['research', 'default'])
      expect(await clientsOf(fake)).toEqual([])
      expect(fake.clientFiles.entries.get('Cursor')?.size ?? 0).toBe(0)
    },
  })
  scenario('with no groups at all is as after the last switch', {
    given: registered,
    request: 'GET /api/v1beta/discovery/clients/Cursor?groups=',
    answers: { status: 200, json: withoutEntries([]) },
  })
  scenario('asks about a group that is not there', {
    request: 'GET /api/v1beta/discovery/clients/Cursor?groups=default,ghosts',
    answers: { status: 404, text: /^group ghosts not found/ },
  })
  scenario('of an unknown client', {
    request: 'GET /api/v1beta/discovery/clients/Emacs',
    answers: { status: 400, text: /is not a known client; known are RooCode, / },
  })
})

describe('registering a client', () => {
  for (const [spelling, name] of [
    ['RooCode', 'RooCode'],
    ['roo-code', 'RooCode'],
    ['ROO-CODE', 'RooCode'],
    ['roocode', 'RooCode'],
    ['amp-vscode-insider', 'AmpVSCodeInsider'],
  ] as const) {
    scenario(`takes the spelling ${spelling}`, {
      request: 'POST /api/v1beta/clients',
      body: { name: spelling },
      answers: { status: 200, json: { name, groups: ['default'] } },
    })
  }
  scenario('writes its file', {
    given: (fake) =>
      done(fake, 'POST /api/v1beta/workloads', { name: 'web', image: 'npx://web@1.0.0', proxy_port: 15_000 }),
    request: 'POST /api/v1beta/clients',
    body: { name: 'Cursor' },
    answers: { status: 200, json: { name: 'Cursor', groups: ['default'] } },
    afterwards: (fake) =>
      expect(fake.clientFiles.entries.get('Cursor')).toEqual(
        new Map([['web', { url: 'http://127.0.0.1:15000/mcp', transport: 'streamable-http' }]]),
      ),
  })
  scenario('that is not installed keeps the membership only', {
    given: (fake) => done(fake, 'POST /api/v1beta/workloads', { name: 'web', image: 'npx://web@1.0.0' }),
    request: 'POST /api/v1beta/clients',
    body: { name: 'Cline' },
    answers: { status: 200, json: { name: 'Cline', groups: ['default'] } },
    afterwards: async (fake) => {
      expect(fake.clientFiles.entries.has('Cline')).toBe(false)
      fake.clientFiles.installed.add('Cline')
      await fake.clock.advance(60_000)
      expect(fake.clientFiles.entries.get('Cline')?.size).toBe(1)
    },
  })
  scenario('says when an entry had to take another name', {
    given: (fake) => {
      fake.clientFiles.sync = async (client) => ({
        outcome: 'written',
        notes: client === 'Cursor' ? ['ours is web-toolhaven'] : [],
      })
    },
    request: 'POST /api/v1beta/clients',
    body: { name: 'Cursor', groups: [] },
    answers: { status: 200, json: { name: 'Cursor', groups: ['default'], notes: ['ours is web-toolhaven'] } },
  })
  scenario('adds groups to those it has', {
    given: async (fake) => {
      await research(fake)
      await done(fake, 'POST /api/v1beta/clients', { name: 'Cursor' })
    },
    request: 'POST /api/v1beta/clients',
    body: { name: 'cursor', groups: ['research'] },
    answers: { status: 200, json: { name: 'Cursor', groups: ['default', 'research'] } },
  })
  scenario('with an unknown group', {
    request: 'POST /api/v1beta/clients',
    body: { name: 'Cursor', groups: ['default', 'ghosts'] },
    answers: { status: 404, text: /^group ghosts not found/ },
    afterwards: async (fake) => expect(await clientsOf(fake)).toEqual([]),
  })
  for (const name of ['Emacs', '', '__proto__', 'constructor', 3, null]) {
    scenario(`of the unknown type ${JSON.stringify(name)}`, {
      request: 'POST /api/v1beta/clients',
      body: { name },
      answers: { status: 400, text: /^name: / },
    })
  }
  scenario('with an unknown field', {
    request: 'POST /api/v1beta/clients',
    body: { name: 'Cursor', group: 'default' },
    answers: { status: 400, text: /unknown field group/ },
  })
})

describe('registering several', () => {
  scenario('answers with each once', {
    given: research,
    request: 'POST /api/v1beta/clients/register',
    body: { names: ['VSCode', 'cursor', 'Cursor'], groups: ['research'] },
    answers: {
      status: 200,
      json: [
        { name: 'VSCode', groups: ['research'] },
        { name: 'Cursor', groups: ['research'] },
      ],
    },
  })
  scenario('without groups means the default group', {
    request: 'POST /api/v1beta/clients/register',
    body: { names: ['Cursor'] },
    answers: { status: 200, json: [{ name: 'Cursor', groups: ['default'] }] },
  })
  scenario('with an unknown group registers none', {
    request: 'POST /api/v1beta/clients/register',
    body: { names: ['Cursor', 'VSCode'], groups: ['default', 'ghosts'] },
    answers: { status: 404, text: /^group ghosts not found/ },
    afterwards: async (fake) => expect(await clientsOf(fake)).toEqual([]),
  })
  for (const body of [
    { names: [] },
    {},
    { names: ['Cursor', 'Emacs'] },
    { names: 'Cursor' },
    { names: ['Cursor'], groups: ['UP'] },
    { groups: ['default'] },
  ]) {
    scenario(`with ${JSON.stringify(body)} registers none`, {
      request: 'POST /api/v1beta/clients/register',
      body,
      answers: { status: 400 },
      afterwards: async (fake) => expect(await clientsOf(fake)).toEqual([]),
    })
  }
})

describe('unregistering', () => {
  scenario('a client takes it out everywhere', {
    given: registered,
    request: 'DELETE /api/v1beta/clients/cursor',
    answers: { status: 204 },
    afterwards: async (fake) => {
      expect(await clientsOf(fake)).toEqual([])
      expect(fake.clientFiles.entries.get('Cursor')?.size).toBe(0)
    },
  })
  scenario('a client from a group keeps the others', {
    given: registered,
    request: 'DELETE /api/v1beta/clients/Cursor/groups/research',
    answers: { status: 204 },
    afterwards: async (fake) => expect(await clientsOf(fake)).toEqual([{ name: 'Cursor', groups: ['default'] }]),
  })
  scenario('several without groups means everywhere', {
    given: registered,
    request: 'POST /api/v1beta/clients/unregister',
    body: { names: ['Cursor'] },
    answers: { status: 204 },
    afterwards: async (fake) => expect(await clientsOf(fake)).toEqual([]),
  })
  scenario('several from groups', {
    given: registered,
    request: 'POST /api/v1beta/clients/unregister',
    body: { names: ['Cursor'], groups: ['default'] },
    answers: { status: 204 },
    afterwards: async (fake) => expect(await clientsOf(fake)).toEqual([{ name: 'Cursor', groups: ['research'] }]),
  })
  const refused = (request: string, status: number, text: RegExp, body?: object) =>
    scenario(`${request} ${body ? JSON.stringify(body) : ''} is refused and changes nothing`, {
      given: registered,
      request,
      body,
      answers: { status, text },
      afterwards: async (fake) =>
        expect(await clientsOf(fake)).toEqual([{ name: 'Cursor', groups: ['default', 'research'] }]),
    })
  refused('DELETE /api/v1beta/clients/VSCode', 404, /^client VSCode is not registered/)
  refused('DELETE /api/v1beta/clients/Emacs', 400, /^name: is not a known client/)
  refused('DELETE /api/v1beta/clients/VSCode/groups/default', 404, /^client VSCode is not registered/)
  refused('DELETE /api/v1beta/clients/Cursor/groups/ghosts', 404, /^group ghosts not found/)
  refused('DELETE /api/v1beta/clients/Cursor/groups/UP', 400, /^group: /)
  refused('POST /api/v1beta/clients/unregister', 404, /^client VSCode is not registered/, {
    names: ['Cursor', 'VSCode'],
  })
  refused('POST /api/v1beta/clients/unregister', 404, /^group ghosts not found/, {
    names: ['Cursor'],
    groups: ['ghosts'],
  })
  refused('POST /api/v1beta/clients/unregister', 400, /^names: /, { names: [] })
  refused('POST /api/v1beta/clients/unregister', 400, /^names\.0: /, { names: ['Emacs'] })
})
