import { describe, expect } from 'vitest'
import type { FakeDaemon } from '@toolhaven/fakes/fake-daemon'
import { done, scenario } from '@toolhaven/testing/scenario'
import { settle } from '@toolhaven/fakes/manual-clock'
import { invalid } from '@toolhaven/core/errors'

const GITHUB = {
  command: 'npx',
  args: ['-y', 'github-server@1.2.0', '--read-only'],
  env: { GITHUB_TOKEN: 'ghp-canary-value', LOG_LEVEL: 'debug' },
}
const setUp = (fake: FakeDaemon) => done(fake, 'POST /api/v1beta/secrets', { provider_type: 'encrypted' })
const adopt = (fake: FakeDaemon, name = 'github') => done(fake, 'POST /api/v1beta/discovery/servers/adopt', { name })
const secrets = async (fake: FakeDaemon) => (await done(fake, 'GET /api/v1beta/secrets/default/keys')).text

async function twoClients(fake: FakeDaemon): Promise<void> {
  await setUp(fake)
  fake.foreignEntries.add('Cursor', 'github', GITHUB)
  fake.foreignEntries.add('VSCode', 'gh', GITHUB)
}

describe('discovering servers', () => {
  scenario('gives each once with its clients, names of variables, and what it would become', {
    given: async (fake) => {
      await twoClients(fake)
      fake.foreignEntries.add('Windsurf', 'local', { command: 'node', args: ['server.js'], env: { A_KEY: 'canary' } })
      fake.foreignEntries.faults.push({ client: 'Cline', reason: 'it is not JSON' })
    },
    request: 'GET /api/v1beta/discovery/servers',
    answers: {
      status: 200,
      matches: {
        servers: [
          {
            name: 'github',
            found_in: [
              { client_type: 'Cursor', key: 'github' },
              { client_type: 'VSCode', key: 'gh' },
            ],
            command: 'npx -y github-server@1.2.0 --read-only',
            env_vars: [
              { name: 'GITHUB_TOKEN', secret: true },
              { name: 'LOG_LEVEL', secret: false },
            ],
            becomes: { image: 'npx://github-server@1.2.0', transport: 'stdio', cmd_arguments: ['--read-only'] },
          },
          { name: 'local', obstacle: expect.stringContaining('"node"') },
        ],
        adoptions: [],
        faults: [{ client_type: 'Cline', reason: 'it is not JSON' }],
      },
      notContain: ['canary'],
    },
  })
  scenario('does not give workloads of ours', {
    given: async (fake) => {
      const { text } = await done(fake, 'POST /api/v1beta/workloads', { name: 'web', image: 'npx://web@1.0.0' })
      const { port } = JSON.parse(text)
      fake.foreignEntries.add('Cursor', 'mine', { url: `http://127.0.0.1:${port}/mcp` })
    },
    request: 'GET /api/v1beta/discovery/servers',
    answers: { status: 200, matches: { servers: [] } },
  })
})

describe('adopting a server', () => {
  const FILES = { command: 'npx', args: ['-y', 'files-server@1.0.0', '/data/notes'] }
  scenario('that names a path is refused without a confirmation, and nothing is left of it', {
    given: (fake) => fake.foreignEntries.add('Cursor', 'files', FILES),
    request: 'POST /api/v1beta/discovery/servers/adopt',
    body: { name: 'files', accept_network: true },
    answers: {
      status: 400,
      text: /the entry of the client asks for files of this machine: \/data\/notes:\/data\/notes; /,
    },
    afterwards: (fake) => expect(fake.workloadStore.records.size).toBe(0),
  })
  scenario('that names a path mounts it where it was, once that is confirmed', {
    given: (fake) => fake.foreignEntries.add('Cursor', 'files', FILES),
    request: 'POST /api/v1beta/discovery/servers/adopt',
    body: { name: 'files', accept_mounts: true },
    answers: { status: 200, matches: { name: 'files' } },
    afterwards: (fake) =>
      expect(fake.workloadStore.records.get('files')?.config.volumes).toEqual(['/data/notes:/data/notes']),
  })
  scenario('stores its keys, runs it, and points every client to one workload', {
    given: twoClients,
    request: 'POST /api/v1beta/discovery/servers/adopt',
    body: { name: 'github' },
    answers: {
      status: 200,
      matches: { name: 'github', status: 'adopted', secrets: ['github-GITHUB_TOKEN'], notes: [] },
    },
    afterwards: async (fake) => {
      const { stored } = fake.daemon.workloads.book.get('github')
      expect(stored.config).toMatchObject({
        image: 'npx://github-server@1.2.0',
        cmd_args: ['--read-only'],
        env_vars: { LOG_LEVEL: 'debug' },
        secrets: ['github-GITHUB_TOKEN,target=GITHUB_TOKEN'],
      })
      const url = JSON.stringify({ url: `http://127.0.0.1:${stored.port}/mcp` })
      expect(fake.foreignEntries.textOf('Cursor', 'github')).toBe(url)
      expect(fake.foreignEntries.textOf('VSCode', 'gh')).toBe(url)
      // The key is in the secret store alone.
      expect(JSON.stringify([...fake.adoptionStore.records.values()])).not.toContain('canary')
      expect(JSON.stringify(fake.journal.entries)).not.toContain('canary')
      expect(JSON.stringify(stored)).not.toContain('canary')
      expect(JSON.parse((await done(fake, 'GET /api/v1beta/discovery/servers')).text)).toMatchObject({
        servers: [],
        adoptions: [{ name: 'github', status: 'adopted' }],
      })
    },
  })
  scenario('leaves everything as it was when it does not start', {
    given: async (fake) => {
      await twoClients(fake)
      fake.runtime.missing.add('npx://github-server@1.2.0')
    },
    request: 'POST /api/v1beta/discovery/servers/adopt',
    body: { name: 'github' },
    answers: { status: 409, text: /^github did not start: .*; the files of the clients were not changed\n$/ },
    afterwards: async (fake) => {
      expect(fake.foreignEntries.textOf('Cursor', 'github')).toContain('github-server')
      expect(fake.daemon.workloads.book.all()).toEqual([])
      expect(fake.adoptionStore.records.size).toBe(0)
      expect(await secrets(fake)).toContain('{"keys":[]}')
    },
  })
  scenario('is called off when the caller leaves', {
    given: async (fake) => {
      await twoClients(fake)
      fake.runtime.whilePreparing = (signal) =>
        new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }))
      const abort = new AbortController()
      const adopting = fake.daemon.adoptions.adopt('github', {}, abort.signal)
      await settle()
      expect(fake.daemon.workloads.book.status('github').status).toBe('starting')
      expect(fake.clientFiles.entries.get('Cursor')?.size ?? 0).toBe(0)
      abort.abort(new Error('the caller left'))
      await expect(adopting).rejects.toThrow('was cancelled')
    },
    request: 'GET /api/v1beta/workloads?all=true',
    answers: { status: 200, json: { workloads: [] } },
    afterwards: (fake) => expect(fake.foreignEntries.textOf('Cursor', 'github')).toContain('github-server'),
  })
  scenario('shares the workload with a client that has the same server later', {
    given: async (fake) => {
      await setUp(fake)
      fake.foreignEntries.add('Cursor', 'github', GITHUB)
      await adopt(fake)
      fake.foreignEntries.add('VSCode', 'other', GITHUB)
    },
    request: 'POST /api/v1beta/discovery/servers/adopt',
    body: { name: 'github' },
    answers: {
      status: 200,
      matches: { found_in: [{ client_type: 'Cursor' }, { client_type: 'VSCode', key: 'other' }] },
    },
    afterwards: async (fake) => {
      expect(fake.daemon.workloads.book.all()).toHaveLength(1)
      await done(fake, 'POST /api/v1beta/discovery/servers/undo', { name: 'github' })
      for (const [client, key] of [
        ['Cursor', 'github'],
        ['VSCode', 'other'],
      ] as const)
        expect(fake.foreignEntries.textOf(client, key)).toContain('github-server')
    },
  })
  scenario('undoes everything when no file can be written', {
    given: async (fake) => {
      await twoClients(fake)
      fake.foreignEntries.failWith = invalid('the file is read-only')
    },
    request: 'POST /api/v1beta/discovery/servers/adopt',
    body: { name: 'github' },
    answers: { status: 409, text: /so nothing was adopted: the file is read-only/ },
    afterwards: (fake) => expect(fake.daemon.workloads.book.all()).toEqual([]),
  })
  scenario('goes on with what the end of the daemon cut short', {
    given: async (fake) => {
      await twoClients(fake)
      await done(fake, 'POST /api/v1beta/workloads', { name: 'github', image: 'npx://github-server@1.2.0' })
      const text = fake.foreignEntries.textOf('Cursor', 'github') ?? ''
      const entries = [{ client: 'Cursor', path: '/home/Cursor.json', key: 'github' } as const]
      await fake.adoptionStore.save({
        name: 'github',
        phase: 'starting',
        url: '',
        entries,
        originals: { texts: [text] },
        secrets: [],
      })
    },
    request: 'POST /api/v1beta/discovery/servers/adopt',
    body: { name: 'github' },
    answers: { status: 200, matches: { status: 'adopted' } },
    afterwards: (fake) => expect(fake.daemon.workloads.book.all()).toHaveLength(1),
  })
  scenario('starts again when somebody removed its workload', {
    given: async (fake) => {
      await twoClients(fake)
      await adopt(fake)
      await done(fake, 'DELETE /api/v1beta/workloads/github')
      // One client was put right by hand, the other still leads nowhere.
      const [cursor] = fake.foreignEntries.places
      if (cursor) cursor.text = JSON.stringify(GITHUB)
    },
    request: 'POST /api/v1beta/discovery/servers/adopt',
    body: { name: 'github' },
    answers: { status: 200, matches: { found_in: [{ client_type: 'Cursor' }, { client_type: 'VSCode' }] } },
    afterwards: (fake) => {
      const { port } = fake.daemon.workloads.book.get('github').stored
      for (const { text } of fake.foreignEntries.places) expect(text).toContain(`:${port}/mcp`)
    },
  })
  scenario('does not wait for a shared workload that is stopped', {
    given: async (fake) => {
      await setUp(fake)
      fake.foreignEntries.add('Cursor', 'github', GITHUB)
      await adopt(fake)
      fake.foreignEntries.add('VSCode', 'gh', GITHUB)
      await done(fake, 'POST /api/v1beta/workloads/github/stop')
    },
    request: 'POST /api/v1beta/discovery/servers/adopt',
    body: { name: 'github' },
    answers: { status: 409, text: /github is stopped; restart it first/ },
    afterwards: (fake) => expect(fake.adoptionStore.records.size).toBe(1),
  })
  scenario('tells of an older copy that may hold the keys', {
    given: async (fake) => {
      await twoClients(fake)
      fake.foreignEntries.oldCopies.push('/home/Cursor.json.toolhaven-backup')
    },
    request: 'POST /api/v1beta/discovery/servers/adopt',
    body: { name: 'github' },
    answers: { status: 200, matches: { notes: [expect.stringContaining('toolhaven-backup')] } },
  })
  scenario('needs a place for its keys', {
    given: (fake) => fake.foreignEntries.add('Cursor', 'github', GITHUB),
    request: 'POST /api/v1beta/discovery/servers/adopt',
    body: { name: 'github' },
    answers: { status: 404, text: /no secrets provider is set up/ },
  })
  scenario('is refused where secrets cannot be written', {
    given: async (fake) => {
      await done(fake, 'POST /api/v1beta/secrets', { provider_type: 'none' })
      fake.foreignEntries.add('Cursor', 'github', GITHUB)
    },
    request: 'POST /api/v1beta/discovery/servers/adopt',
    body: { name: 'github' },
    answers: { status: 405, text: /cannot store them/ },
  })
  scenario('is refused for a program of the machine', {
    given: (fake) => fake.foreignEntries.add('Cursor', 'local', { command: 'node', args: ['x.js'] }),
    request: 'POST /api/v1beta/discovery/servers/adopt',
    body: { name: 'local' },
    answers: { status: 400, text: /^local cannot be adopted: it runs "node"/ },
  })
  scenario('is not found under a name that no client has', {
    request: 'POST /api/v1beta/discovery/servers/adopt',
    body: { name: 'ghost' },
    answers: { status: 404, text: /no client has a server ghost/ },
  })
  scenario('is not found in a group that is not there, and stores nothing', {
    given: twoClients,
    request: 'POST /api/v1beta/discovery/servers/adopt',
    body: { name: 'github', group: 'nowhere' },
    answers: { status: 404, text: /group nowhere not found/ },
    afterwards: async (fake) => expect(await secrets(fake)).toContain('{"keys":[]}'),
  })
})

describe('undoing an adoption', () => {
  scenario('puts the entries back and removes the workload and its secrets', {
    given: async (fake) => {
      await twoClients(fake)
      await adopt(fake)
    },
    request: 'POST /api/v1beta/discovery/servers/undo',
    body: { name: 'github' },
    answers: {
      status: 200,
      matches: {
        name: 'github',
        restored: [{ client_type: 'Cursor' }, { client_type: 'VSCode' }],
        removed_secrets: ['github-GITHUB_TOKEN'],
        notes: [],
      },
    },
    afterwards: async (fake) => {
      expect(JSON.parse(fake.foreignEntries.textOf('Cursor', 'github') ?? '')).toMatchObject(GITHUB)
      expect(fake.daemon.workloads.book.all()).toEqual([])
      expect(fake.adoptionStore.records.size).toBe(0)
      expect(await secrets(fake)).toContain('{"keys":[]}')
    },
  })
  scenario('leaves alone what was changed or removed since, and secrets that others use', {
    given: async (fake) => {
      await twoClients(fake)
      await adopt(fake)
      const [cursor] = fake.foreignEntries.places
      if (cursor) cursor.text = JSON.stringify({ url: 'https://example.com/mcp' })
      fake.foreignEntries.places.splice(1, 1)
      await done(fake, 'POST /api/v1beta/workloads', {
        name: 'other',
        image: 'npx://other@1.0.0',
        secrets: [{ name: 'github-GITHUB_TOKEN', target: 'T' }],
      })
    },
    request: 'POST /api/v1beta/discovery/servers/undo',
    body: { name: 'github' },
    answers: {
      status: 200,
      matches: {
        restored: [],
        removed_secrets: [],
        notes: [
          'the entry github of Cursor has changed since and was left as it is',
          'the entry gh of VSCode has been removed since and was not restored',
          'secret github-GITHUB_TOKEN was kept because other uses it',
        ],
      },
    },
  })
  scenario('keeps the workload when a file cannot be written', {
    given: async (fake) => {
      await twoClients(fake)
      await adopt(fake)
      fake.foreignEntries.failWith = invalid('the file is read-only')
    },
    request: 'POST /api/v1beta/discovery/servers/undo',
    body: { name: 'github' },
    answers: { status: 400, text: 'the file is read-only' },
    afterwards: (fake) => expect(fake.daemon.workloads.book.all()).toHaveLength(1),
  })
  scenario('works when the workload is gone already', {
    given: async (fake) => {
      await twoClients(fake)
      await adopt(fake)
      await done(fake, 'DELETE /api/v1beta/workloads/github')
    },
    request: 'POST /api/v1beta/discovery/servers/undo',
    body: { name: 'github' },
    answers: { status: 200, matches: { restored: [{ client_type: 'Cursor' }, { client_type: 'VSCode' }] } },
  })
  scenario('is not found for what was never adopted', {
    request: 'POST /api/v1beta/discovery/servers/undo',
    body: { name: 'ghost' },
    answers: { status: 404, text: /ghost was not adopted/ },
  })
})
