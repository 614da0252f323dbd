import { describe, expect } from 'vitest'
import type { LockPart } from '@toolhaven/contract/tools'
import { type FakeDaemon, startFakeDaemon } from '@toolhaven/fakes/fake-daemon'
import { settle } from '@toolhaven/fakes/manual-clock'
import { done, scenario, send } from '@toolhaven/testing/scenario'

const WEB = { name: 'web', image: 'npx://web@1.0.0' }

/** What the server has after the change, and its revision. */
const LATER = { read: 'reads a secret file', fresh: 'hi\u200B' }
const revision = `tool:${JSON.stringify(LATER)}`

/** `{ read: 'reads' }`: the server has a tool of that name and that description. */
function list(fake: FakeDaemon, tools: Readonly<Record<string, string>>, part: LockPart = 'tool') {
  const all = Object.entries(tools).map(([name, description]) => {
    const definition = JSON.stringify({ description, name })
    return { name, hash: `#${description}`, definition }
  })
  fake.gateway.events.onDefinitions?.('web', part, { revision: JSON.stringify(tools), definitions: all })
}

async function running(fake: FakeDaemon, change: object = {}) {
  await done(fake, 'POST /api/v1beta/workloads', { ...WEB, ...change })
  await settle()
}

async function changed(fake: FakeDaemon, change: object = {}) {
  await running(fake, change)
  list(fake, { read: 'reads a file', old: 'bye' })
  list(fake, LATER)
  await settle()
}

async function contextOf(fake: FakeDaemon): Promise<string> {
  const { text } = await send(fake, 'GET /api/v1beta/workloads/web')
  return JSON.parse(text).status_context
}

const GET = 'GET /api/v1beta/workloads/web/tools'
const ACCEPT = 'POST /api/v1beta/workloads/web/tools/accept'
const OTHERS = 'the tools of web changed: read changed; fresh added; old removed'

describe('the tools of a workload', () => {
  scenario('are the accepted ones as they are first seen', {
    given: async (fake) => {
      await running(fake)
      list(fake, { read: 'reads a file' })
    },
    request: GET,
    answers: {
      status: 200,
      matches: {
        ...{ name: 'web', mode: 'warn', changes: [] },
        tools: [
          { name: 'read', hash: '#reads a file', state: 'unchanged', definition: { description: 'reads a file' } },
        ],
      },
    },
    afterwards: async (fake) => {
      expect(fake.toolLockStore.records.get('web')?.parts.tool?.accepted).toHaveLength(1)
      expect(await contextOf(fake)).not.toContain('tools')
    },
  })
  scenario('are shown with what became of them, word by word', {
    given: (fake) => changed(fake),
    request: GET,
    answers: {
      status: 200,
      matches: {
        tools: [
          { name: 'read', state: 'changed' },
          { name: 'old', state: 'removed' },
          { name: 'fresh', state: 'added' },
        ],
        changes: [
          { name: 'fresh', kind: 'added', fields: [{ parts: [{ kind: 'added', text: 'hi\\u{200b}' }] }] },
          { name: 'old', kind: 'removed' },
          {
            ...{
              part: 'tool',
              name: 'read',
              kind: 'changed',
              accepted_hash: '#reads a file',
              hash: '#reads a secret file',
            },
            fields: [
              {
                field: 'description',
                parts: [
                  { kind: 'same', text: 'reads a ' },
                  { kind: 'added', text: 'secret ' },
                  { kind: 'same', text: 'file' },
                ],
              },
            ],
          },
        ],
      },
    },
    afterwards: async (fake) => {
      expect(await contextOf(fake)).toBe(`${OTHERS}; see "thv tools diff web"`)
      expect((await fake.logs.tail('web', 10)).filter((line) => line.includes('tools of web'))).toHaveLength(1)
      expect(fake.gateway.endpoints.get('web')).toMatchObject({ toolsChanged: 'warn' })
      expect([...(fake.gateway.events.acceptedHashes?.('web', 'tool') ?? [])]).toEqual([
        ['read', '#reads a file'],
        ['old', '#bye'],
      ])
    },
  })
  scenario('that are blocked are said to be', {
    given: (fake) => changed(fake, { tools_changed: 'block' }),
    request: 'GET /api/v1beta/workloads/web',
    answers: {
      status: 200,
      matches: {
        tools_changed: 'block',
        status_context: `${OTHERS}; changed and added ones are refused until they are accepted; see "thv tools diff web"`,
      },
    },
    afterwards: async (fake) => {
      expect(fake.gateway.endpoints.get('web')).toMatchObject({ toolsChanged: 'block' })
    },
  })
  scenario('are not known before they were seen', {
    given: (fake) => running(fake),
    request: GET,
    answers: {
      status: 409,
      text: 'the tools of web have not been seen yet: start it, or wait until a client lists them',
    },
  })
  scenario('are not known while only the instructions are', {
    given: async (fake) => {
      await running(fake)
      list(fake, { instructions: 'be kind' }, 'instructions')
    },
    request: GET,
    answers: {
      status: 409,
      text: 'the tools of web have not been seen yet: start it, or wait until a client lists them',
    },
  })
  scenario('are nobody’s without a workload', {
    request: GET,
    answers: { status: 404 },
  })
})

describe('changes of tools', () => {
  scenario('are accepted all at once', {
    given: (fake) => changed(fake),
    request: ACCEPT,
    body: { revision },
    answers: { status: 200, matches: { changes: [], tools: [{ name: 'fresh' }, { name: 'read' }] } },
    afterwards: async (fake) => {
      expect(await contextOf(fake)).not.toContain('tools')
      expect(fake.gateway.accepted).toEqual(['web: tool'])
      expect(fake.journal.entries.at(-1)).toMatchObject({
        action: 'accept-tools',
        target: 'web',
        detail: { tools: ['fresh', 'old', 'read'] },
      })
    },
  })
  scenario('are accepted by name', {
    given: (fake) => changed(fake),
    request: ACCEPT,
    body: { tools: ['read'], revision },
    answers: { status: 200, matches: { changes: [{ name: 'fresh' }, { name: 'old' }] } },
  })
  scenario('are not accepted when they are others than those that were shown', {
    given: (fake) => changed(fake),
    request: ACCEPT,
    body: { revision: 'another' },
    answers: { status: 409, text: 'the tools of web changed again since you read them; read them again' },
    afterwards: async (fake) => {
      expect(await contextOf(fake)).toContain(OTHERS)
      expect(fake.gateway.accepted).toEqual([])
    },
  })
  scenario('of prompts and instructions are shown and accepted as such', {
    given: async (fake) => {
      await running(fake)
      list(fake, { greet: 'a tool' })
      list(fake, { greet: 'greets' }, 'prompt')
      list(fake, { instructions: 'be kind' }, 'instructions')
      list(fake, { greet: 'insults' }, 'prompt')
      list(fake, { instructions: 'be cruel' }, 'instructions')
      expect(await contextOf(fake)).toContain('what web offers changed: prompt greet, the instructions changed')
      const { text } = await send(fake, GET)
      expect(JSON.parse(text)).toMatchObject({
        tools: [{ name: 'greet', state: 'unchanged' }],
        prompts: [{ name: 'greet', state: 'changed' }],
        resource_templates: [],
        instructions: { state: 'changed' },
        changes: [{ part: 'prompt', name: 'greet' }, { part: 'instructions' }],
      })
    },
    request: ACCEPT,
    body: {
      instructions: true,
      revision: 'prompt:{"greet":"insults"},instructions:{"instructions":"be cruel"}',
    },
    answers: { status: 200, matches: { changes: [{ part: 'prompt', name: 'greet' }] } },
    afterwards: async (fake) => {
      expect(fake.gateway.accepted).toEqual(['web: instructions'])
      expect(fake.journal.entries.at(-1)?.detail).toEqual({ instructions: ['instructions'] })
    },
  })
  scenario('of the instructions are shown and accepted before the tools are seen', {
    given: async (fake) => {
      await running(fake)
      list(fake, { instructions: 'be kind' }, 'instructions')
      list(fake, { instructions: 'be cruel' }, 'instructions')
      expect(JSON.parse((await send(fake, GET)).text)).toMatchObject({ changes: [{ part: 'instructions' }] })
    },
    request: ACCEPT,
    body: { revision: 'instructions:{"instructions":"be cruel"}' },
    answers: { status: 200, matches: { tools: [], changes: [] } },
    afterwards: async (fake) => {
      expect(fake.gateway.accepted).toEqual(['web: instructions'])
    },
  })
  scenario('are not accepted unseen', {
    given: (fake) => changed(fake),
    request: ACCEPT,
    body: {},
    answers: { status: 400, text: /revision/ },
    afterwards: async (fake) => {
      expect(await contextOf(fake)).toContain(OTHERS)
      expect(fake.gateway.accepted).toEqual([])
    },
  })
  scenario('that nobody sees cannot be accepted', {
    given: (fake) => changed(fake),
    request: ACCEPT,
    body: { tools: ['none'], revision },
    answers: {
      status: 404,
      text: 'none: no change of it is waiting to be accepted; "thv tools diff web" shows the changes that are',
    },
  })
  scenario('need none to be accepted', {
    given: async (fake) => {
      await running(fake)
      list(fake, { read: 'reads' })
    },
    request: ACCEPT,
    body: { revision },
    answers: { status: 200, matches: { changes: [] } },
    afterwards: async (fake) => {
      expect(fake.gateway.accepted).toEqual([])
    },
  })
  scenario('of no workload cannot be accepted', { request: ACCEPT, body: { revision }, answers: { status: 404 } })
  scenario('are accepted with a list that names some', {
    given: (fake) => changed(fake),
    request: ACCEPT,
    body: { tools: [], revision },
    answers: { status: 400 },
  })
})

describe('the record of accepted tools', () => {
  scenario('stays with an edit, and goes with the workload', {
    given: async (fake) => {
      await changed(fake)
      await done(fake, 'POST /api/v1beta/workloads/web/edit', { tools_changed: 'block', image: 'npx://other@2.0.0' })
      await settle()
      expect(fake.toolLockStore.records.get('web')?.parts.tool?.seen?.definitions).toHaveLength(2)
      expect(await contextOf(fake)).toContain('refused until they are accepted')
    },
    request: 'DELETE /api/v1beta/workloads/web',
    answers: { status: 202 },
    afterwards: async (fake) => {
      await settle()
      expect(fake.toolLockStore.records.size).toBe(0)
      // The last list of its server comes late.
      list(fake, { read: 'reads' })
      await settle()
      expect(fake.toolLockStore.records.size).toBe(0)
    },
  })
  scenario('is found again by the next daemon', {
    given: async (fake) => {
      await changed(fake)
      using next = await startFakeDaemon({ ...fake })
      await settle()
      expect(await contextOf(next)).toBe(`${OTHERS}; see "thv tools diff web"`)
      expect((await next.logs.tail('web', 10)).filter((line) => line.includes('tools of web'))).toEqual([])
    },
    request: GET,
    answers: { status: 200 },
  })
  scenario('says what happens to changes also after an export and import', {
    given: async (fake) => {
      await running(fake, { tools_changed: 'block' })
      const { text } = await send(fake, 'GET /api/v1beta/workloads/web/export')
      const config = JSON.parse(text)
      expect(config).toMatchObject({ tools_changed: 'block' })
      expect(config.middleware_configs.at(-1)).toEqual({ type: 'tool-lock', parameters: { tools_changed: 'block' } })
      await done(fake, 'POST /api/v1beta/workloads/import', { ...config, name: 'again', port: 20_001 })
    },
    request: 'GET /api/v1beta/workloads/again/export',
    answers: { status: 200, matches: { tools_changed: 'block' } },
  })
})
