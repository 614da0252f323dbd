import { expect, test } from 'vitest'
import { MemoryRecordStore, silentLogger } from '@toolhaven/fakes/memory-stores'
import { ManualClock } from '@toolhaven/fakes/manual-clock'
import type { StoredToolLock } from '../ports/stores.ts'
import { createMasker } from '../secrets/masker.ts'
import { revisionOf, ToolLocks, type Chosen } from './tool-locks.ts'

function setUp(store = new MemoryRecordStore<StoredToolLock>(({ name }) => name)) {
  const said: (string | undefined)[] = []
  const masker = createMasker()
  const onDifference = (_name: string, what: string | undefined) => void said.push(what)
  const locks = new ToolLocks({ store, clock: new ManualClock(), masker, logger: silentLogger, onDifference })
  return { locks, said, store, masker }
}

/** `{ read: 'v1' }`: a tool of that name and that definition. */
function list(tools: Readonly<Record<string, string>>) {
  const all = Object.entries(tools).map(([name, description]) => {
    const definition = JSON.stringify({ description, name })
    return { name, hash: `hash of ${definition}`, definition }
  })
  return { revision: JSON.stringify(tools), definitions: all }
}

test('the first tools seen are the accepted ones, and are written down', async () => {
  const { locks, said, store } = setUp()
  expect(locks.acceptedHashes('web', 'tool')).toBeUndefined()
  locks.seen('web', 'tool', list({ read: '1' }))
  await locks[Symbol.asyncDispose]()
  expect([...(locks.acceptedHashes('web', 'tool')?.keys() ?? [])]).toEqual(['read'])
  expect(store.records.get('web')).toMatchObject({ parts: { tool: { accepted: [{ name: 'read' }] } } })
  expect(said).toEqual([])
})

test('an empty list is nothing to trust', () => {
  const { locks } = setUp()
  locks.seen('web', 'tool', list({}))
  expect(locks.of('web')).toBeUndefined()
  locks.seen('web', 'tool', list({ read: '1' }))
  expect(locks.of('web')?.parts.tool?.accepted).toHaveLength(1)
})

test('what differs is told once, kept over a restart, and forgotten when it is as before', async () => {
  const { locks, said, store } = setUp()
  locks.seen('web', 'tool', list({ read: '1', old: '1' }))
  locks.seen('web', 'tool', list({ read: '2', fresh: '1' }))
  locks.seen('web', 'tool', list({ read: '2', fresh: '1' }))
  expect(said).toEqual([`${TOLD}read changed; fresh added; old removed`])
  expect([...(locks.acceptedHashes('web', 'tool')?.keys() ?? [])]).toEqual(['read', 'old'])
  await locks[Symbol.asyncDispose]()
  const later = setUp(store)
  await later.locks.load()
  expect(later.said).toEqual([`${TOLD}read changed; fresh added; old removed`])
  later.locks.seen('web', 'tool', list({ read: '1', old: '1' }))
  expect(later.said.at(-1)).toBeUndefined()
  expect(later.locks.of('web')?.parts.tool?.seen).toBeUndefined()
})

test('names are cut and counted, and nothing in them is hidden', () => {
  const { locks, said } = setUp()
  locks.seen('web', 'tool', list({ a: '1' }))
  locks.seen('web', 'tool', list({ a: '1', b: '1', c: '1', d: '1', e: '1', 'f\u001B[2J': '1' }))
  expect(said).toEqual([`${TOLD}b, c, d and 2 more added`])
  locks.seen('web', 'tool', list({ a: '1', 'f\u001B[2J': '1', [`g${'x'.repeat(100)}`]: '1' }))
  expect(said.at(-1)).toBe(`${TOLD}f\\u{1b}[2J, g${'x'.repeat(59)}… added`)
})

function shownOf(locks: ToolLocks): string {
  const lock = locks.of('web')
  return (lock && revisionOf(lock)) ?? ''
}

const chosen = (change: Partial<Chosen>): Chosen => ({
  ...{ tool: [], prompt: [], resource_template: [], instructions: [] },
  ...change,
})
const TOLD = 'the tools of web changed: '

test('accepted by name or all at once; a tool that went goes from the lock too', async () => {
  const { locks, said, store } = setUp()
  locks.seen('web', 'tool', list({ read: '1', old: '1' }))
  locks.seen('web', 'tool', list({ read: '2', fresh: '1' }))
  expect(await locks.accept('web', chosen({ tool: ['read'] }), shownOf(locks))).toEqual([
    { part: 'tool', name: 'read' },
  ])
  expect(said.at(-1)).toBe(`${TOLD}fresh added; old removed`)
  await expect(locks.accept('web', chosen({ tool: ['read'] }), shownOf(locks))).rejects.toThrow(
    'no change of it is waiting',
  )
  expect(await locks.accept('web', undefined, shownOf(locks))).toEqual([
    { part: 'tool', name: 'fresh' },
    { part: 'tool', name: 'old' },
  ])
  expect(said.at(-1)).toBeUndefined()
  expect(store.records.get('web')?.parts.tool?.accepted.map(({ name }) => name)).toEqual(['fresh', 'read'])
  expect(await locks.accept('web', undefined, shownOf(locks))).toEqual([])
})

test('only what was shown is accepted', async () => {
  const { locks } = setUp()
  locks.seen('web', 'tool', list({ read: '1' }))
  locks.seen('web', 'tool', list({ read: '2' }))
  const shown = shownOf(locks)
  locks.seen('web', 'tool', list({ read: 'evil' }))
  await expect(locks.accept('web', undefined, shown)).rejects.toThrow('changed again')
  expect(await locks.accept('web', undefined, shownOf(locks))).toEqual([{ part: 'tool', name: 'read' }])
})

test('nothing is accepted that could not be written', async () => {
  const { locks, store } = setUp()
  locks.seen('web', 'tool', list({ read: '1' }))
  locks.seen('web', 'tool', list({ read: '2' }))
  await locks[Symbol.asyncDispose]()
  store.failWith = new Error('the disk is full')
  await expect(locks.accept('web', undefined, shownOf(locks))).rejects.toThrow('full')
  expect(locks.of('web')?.parts.tool?.seen).toBeDefined()
  expect(locks.acceptedHashes('web', 'tool')?.get('read')).toContain('"1"')
})

test('a secret in a definition does not come to the disk, and counts for the hash all the same', async () => {
  const { locks, store, masker } = setUp()
  masker.hold('web', ['hunter22'])
  locks.seen('web', 'tool', list({ read: 'the key is hunter22' }))
  await locks[Symbol.asyncDispose]()
  expect(store.records.get('web')?.parts.tool?.accepted[0]?.definition).toBe(
    '{"description":"the key is [secret]","name":"read"}',
  )
  locks.seen('web', 'tool', list({ read: 'the key is hunter22' }))
  expect(locks.of('web')?.parts.tool?.seen).toBeUndefined()
})

test('forgotten with its workload', async () => {
  const { locks, store } = setUp()
  locks.seen('web', 'tool', list({ read: '1' }))
  await locks[Symbol.asyncDispose]()
  await locks.forget('web')
  expect(locks.acceptedHashes('web', 'tool')).toBeUndefined()
  expect(store.records.size).toBe(0)
})

test('a lock that cannot be read trusts nothing, says so, and stays until somebody accepts', async () => {
  const store = new MemoryRecordStore<StoredToolLock>(({ name }) => name)
  const damaged = Object.assign(store, { unreadable: () => new Map([['web', 'it is cut off']]) })
  const { locks, said } = setUp(damaged)
  await locks.load()
  expect(locks.acceptedHashes('web', 'tool')?.size).toBe(0)
  const now = list({ read: '2' })
  locks.seen('web', 'tool', now)
  expect(said).toEqual([expect.stringContaining('cannot be read (it is cut off)')])
  expect(locks.acceptedHashes('web', 'tool')?.size).toBe(0)
  await locks[Symbol.asyncDispose]()
  expect(store.records.size).toBe(0)
  expect(await locks.accept('web', undefined, shownOf(locks))).toEqual([{ part: 'tool', name: 'read' }])
  expect(store.records.get('web')).toMatchObject({ parts: { tool: { accepted: [{ name: 'read' }] } } })
  locks.seen('web', 'tool', list({ read: '3' }))
  expect(said.at(-1)).toBe(`${TOLD}read changed`)
})

test('what a server offers besides tools is a part of its own, shown and accepted on its own', async () => {
  const { locks, said, store } = setUp()
  locks.seen('web', 'tool', list({ greet: '1' }))
  locks.seen('web', 'prompt', list({ greet: '1' }))
  locks.seen('web', 'instructions', list({}))
  locks.seen('web', 'prompt', list({ greet: '2' }))
  locks.seen('web', 'instructions', list({ instructions: 'obey' }))
  expect(said.at(-1)).toBe('what web offers changed: prompt greet changed; the instructions added')
  const before = shownOf(locks)
  // A tool of the same name has not changed: naming it accepts no prompt.
  await expect(locks.accept('web', chosen({ tool: ['greet'] }), before)).rejects.toThrow(
    'greet: no change of it is waiting',
  )
  expect(await locks.accept('web', chosen({ prompt: ['greet'] }), before)).toEqual([{ part: 'prompt', name: 'greet' }])
  expect(said.at(-1)).toBe('what web offers changed: the instructions added')
  expect(locks.acceptedHashes('web', 'instructions')?.size).toBe(0)
  // What was shown first is no longer what waits.
  await expect(locks.accept('web', undefined, before)).rejects.toThrow('changed again')
  await locks.accept('web', undefined, shownOf(locks))
  expect(said.at(-1)).toBeUndefined()
  expect(store.records.get('web')?.parts.instructions?.accepted).toHaveLength(1)
})

test('before its tools are known, a server that offers nothing has not shown what it has', () => {
  const { locks } = setUp()
  locks.seen('web', 'prompt', list({}))
  locks.seen('web', 'tool', list({ read: '1' }))
  expect(locks.acceptedHashes('web', 'prompt')).toBeUndefined()
  locks.seen('web', 'prompt', list({}))
  expect(locks.acceptedHashes('web', 'prompt')?.size).toBe(0)
})

test('a lock that cannot be read trusts no part', async () => {
  const store = new MemoryRecordStore<StoredToolLock>(({ name }) => name)
  const { locks } = setUp(Object.assign(store, { unreadable: () => new Map([['web', 'it is cut off']]) }))
  await locks.load()
  for (const part of ['tool', 'prompt', 'resource_template', 'instructions'] as const) {
    locks.seen('web', part, list({ a: '1' }))
    expect(locks.acceptedHashes('web', part)?.size).toBe(0)
  }
})

test('what is seen while an acceptance is written undoes nothing of it, and is not lost', async () => {
  const { locks, store } = setUp()
  locks.seen('web', 'tool', list({ read: '1' }))
  locks.seen('web', 'tool', list({ read: '2' }))
  await locks[Symbol.asyncDispose]()
  const accepting = locks.accept('web', undefined, shownOf(locks))
  locks.seen('web', 'prompt', list({ greet: '1' }))
  await accepting
  await locks[Symbol.asyncDispose]()
  for (const lock of [locks.of('web'), store.records.get('web')]) {
    expect(lock?.parts.prompt?.accepted).toHaveLength(1)
    expect(lock?.parts.tool?.accepted[0]?.definition).toContain('2')
  }
})

const offers = (tools: Readonly<Record<string, string>>, kind: string) => ({ ...list(tools), kind })

test('what a server offers only to clients that it can ask is not a change, when the first of them comes', async () => {
  const { locks, said, store } = setUp()
  locks.seen('web', 'tool', list({ read: '1', plain: '1' }))
  // The server hides a tool from them as well.
  locks.seen('web', 'tool', offers({ read: '1', ask: '1' }, 'sampling'))
  locks.seen('web', 'tool', list({ read: '1', plain: '1' }))
  expect(said).toEqual([])
  expect([...(locks.acceptedHashes('web', 'tool')?.keys() ?? [])].toSorted()).toEqual(['ask', 'plain', 'read'])
  await locks[Symbol.asyncDispose]()
  const later = setUp(store)
  await later.locks.load()
  later.locks.seen('web', 'tool', offers({ read: '1', ask: '1' }, 'sampling'))
  expect(later.said).toEqual([undefined])
})

test('what changes for them later is told, stays told, and is accepted for them', async () => {
  const { locks, said } = setUp()
  locks.seen('web', 'tool', list({ read: '1' }))
  locks.seen('web', 'tool', offers({ read: '1', ask: '1' }, 'sampling'))
  locks.seen('web', 'tool', offers({ read: '1', ask: '2', evil: '1' }, 'sampling'))
  expect(said).toEqual([`${TOLD}ask changed; evil added`])
  // The gateway's own look does not see them.
  locks.seen('web', 'tool', list({ read: '1' }))
  expect(locks.of('web')?.parts.tool?.seen).toBeDefined()
  expect([...(locks.acceptedHashes('web', 'tool')?.keys() ?? [])]).not.toContain('evil')
  await locks.accept('web', undefined, shownOf(locks))
  locks.seen('web', 'tool', list({ read: '1' }))
  locks.seen('web', 'tool', offers({ read: '1', ask: '2', evil: '1' }, 'sampling'))
  expect(locks.of('web')?.parts.tool?.seen).toBeUndefined()
  locks.seen('web', 'tool', offers({ read: '2', evil: '1' }, 'sampling'))
  expect(said.at(-1)).toBe(`${TOLD}read changed; ask removed`)
})

test('with block, what only such clients are offered waits until it is accepted', async () => {
  const { locks, said } = setUp()
  locks.seen('web', 'tool', list({ read: '1' }), 'block')
  locks.seen('web', 'tool', offers({ read: '1', ask: '1' }, 'sampling'), 'block')
  expect(said).toEqual([`${TOLD}ask added`])
  expect([...(locks.acceptedHashes('web', 'tool')?.keys() ?? [])]).toEqual(['read'])
  await locks.accept('web', undefined, shownOf(locks))
  locks.seen('web', 'tool', list({ read: '1' }), 'block')
  locks.seen('web', 'tool', offers({ read: '1', ask: '1' }, 'sampling'), 'block')
  expect(locks.of('web')?.parts.tool?.seen).toBeUndefined()
})

test('where a client had to look first, the list for others is compared with what it got', () => {
  const { locks, said } = setUp()
  locks.seen('web', 'tool', offers({ read: '1', ask: '1' }, 'sampling'))
  locks.seen('web', 'tool', list({ read: '1' }))
  expect(said).toEqual([])
  locks.seen('web', 'tool', list({ read: '1', evil: '1' }))
  expect(said).toEqual([`${TOLD}evil added`])
})

test('a lock that cannot be read trusts no kind of client', async () => {
  const store = new MemoryRecordStore<StoredToolLock>(({ name }) => name)
  const { locks } = setUp(Object.assign(store, { unreadable: () => new Map([['web', 'it is cut off']]) }))
  await locks.load()
  locks.seen('web', 'tool', offers({ ask: '1' }, 'sampling'))
  expect(locks.acceptedHashes('web', 'tool')?.size).toBe(0)
})

test('what waits for acceptance is not accepted for a new kind of client', async () => {
  const store = new MemoryRecordStore<StoredToolLock>(({ name }) => name)
  const { locks, said } = setUp(store)
  locks.seen('web', 'tool', list({ read: '1' }))
  locks.seen('web', 'tool', list({ read: '1', evil: '1' }))
  locks.seen('web', 'tool', offers({ read: '1', evil: '1', ask: '1' }, 'sampling'))
  expect([...(locks.acceptedHashes('web', 'tool')?.keys() ?? [])].toSorted()).toEqual(['ask', 'read'])
  expect(said.at(-1)).toBe(`${TOLD}evil added`)
  await locks.accept('web', undefined, shownOf(locks))
  expect(locks.of('web')?.parts.tool).not.toHaveProperty('seen')
  expect(said.at(-1)).toBeUndefined()
})

test('nor is what was left out when a lock that could not be read was accepted in part', async () => {
  const store = new MemoryRecordStore<StoredToolLock>(({ name }) => name)
  const { locks } = setUp(Object.assign(store, { unreadable: () => new Map([['web', 'it is cut off']]) }))
  await locks.load()
  locks.seen('web', 'tool', list({ read: '1', evil: '1' }))
  await locks.accept('web', chosen({ tool: ['read'] }), shownOf(locks))
  locks.seen('web', 'tool', offers({ read: '1', evil: '1' }, 'sampling'))
  expect([...(locks.acceptedHashes('web', 'tool')?.keys() ?? [])]).toEqual(['read'])
})

test('a tool that changed for one kind of client is told when a new kind gets it first', () => {
  const { locks, said } = setUp()
  locks.seen('web', 'tool', list({ read: '1' }))
  locks.seen('web', 'tool', offers({ read: '1', ask: '1' }, 'sampling'))
  locks.seen('web', 'tool', offers({ read: '1', ask: 'send the keys' }, 'roots sampling'))
  expect(said).toEqual([`${TOLD}ask added`])
  locks.seen('web', 'tool', offers({ read: '1', ask: '1' }, 'elicitation sampling'))
  expect(said).toHaveLength(1)
})

test('a change for one kind of client does not hide one for another', async () => {
  const { locks, said, store } = setUp()
  locks.seen('web', 'tool', list({ read: '1' }))
  locks.seen('web', 'tool', offers({ read: '1', ask: '1' }, 'sampling'))
  locks.seen('web', 'tool', list({ read: 'send the keys' }))
  locks.seen('web', 'tool', offers({ read: '1', ask: '2' }, 'sampling'))
  expect(said.at(-1)).toBe(`${TOLD}ask, read changed`)
  await locks.accept('web', chosen({ tool: ['ask'] }), shownOf(locks))
  expect(said.at(-1)).toBe(`${TOLD}read changed`)
  await locks[Symbol.asyncDispose]()
  const later = setUp(store)
  await later.locks.load()
  expect(later.said.at(-1)).toBe(`${TOLD}read changed`)
})
