import { expect, test } from 'vitest'
import { MemoryRecordStore, silentLogger } from '@toolhaven/testing/fakes/memory-stores'
import { ManualClock } from '@toolhaven/testing/fakes/manual-clock'
import type { StoredToolLock } from '../ports/stores.ts'
import { createMasker } from '../secrets/masker.ts'
import { ToolLocks } from './tool-locks.ts'

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
  return { revision: JSON.stringify(tools), tools: all }
}

test('the first tools seen are the accepted ones, and are written down', async () => {
  const { locks, said, store } = setUp()
  expect(locks.acceptedHashes('web')).toBeUndefined()
  locks.seen('web', list({ read: '1' }))
  await locks[Symbol.asyncDispose]()
  expect([...(locks.acceptedHashes('web')?.keys() ?? [])]).toEqual(['read'])
  expect(store.records.get('web')).toMatchObject({ tools: [{ name: 'read' }] })
  expect(said).toEqual([])
})

test('an empty list is nothing to trust', () => {
  const { locks } = setUp()
  locks.seen('web', list({}))
  expect(locks.of('web')).toBeUndefined()
  locks.seen('web', list({ read: '1' }))
  expect(locks.of('web')?.tools).toHaveLength(1)
})

test('what differs is told once, kept over a restart, and forgotten when it is as before', async () => {
  const { locks, said, store } = setUp()
  locks.seen('web', list({ read: '1', old: '1' }))
  locks.seen('web', list({ read: '2', fresh: '1' }))
  locks.seen('web', list({ read: '2', fresh: '1' }))
  expect(said).toEqual(['read changed; fresh added; old removed'])
  expect([...(locks.acceptedHashes('web')?.keys() ?? [])]).toEqual(['read', 'old'])
  await locks[Symbol.asyncDispose]()
  const later = setUp(store)
  await later.locks.load()
  expect(later.said).toEqual(['read changed; fresh added; old removed'])
  later.locks.seen('web', list({ read: '1', old: '1' }))
  expect(later.said.at(-1)).toBeUndefined()
  expect(later.locks.of('web')?.seen).toBeUndefined()
})

test('names are cut and counted, and nothing in them is hidden', () => {
  const { locks, said } = setUp()
  locks.seen('web', list({ a: '1' }))
  locks.seen('web', list({ a: '1', b: '1', c: '1', d: '1', e: '1', 'f\u001B[2J': '1' }))
  expect(said).toEqual(['b, c, d and 2 more added'])
  locks.seen('web', list({ a: '1', 'f\u001B[2J': '1', [`g${'x'.repeat(100)}`]: '1' }))
  expect(said.at(-1)).toBe(`f\\u{1b}[2J, g${'x'.repeat(59)}… added`)
})

const shownOf = (locks: ToolLocks) => locks.of('web')?.seen?.revision ?? ''

test('accepted by name or all at once; a tool that went goes from the lock too', async () => {
  const { locks, said, store } = setUp()
  locks.seen('web', list({ read: '1', old: '1' }))
  locks.seen('web', list({ read: '2', fresh: '1' }))
  expect(await locks.accept('web', ['read'], shownOf(locks))).toEqual(['read'])
  expect(said.at(-1)).toBe('fresh added; old removed')
  await expect(locks.accept('web', ['read'], shownOf(locks))).rejects.toThrow('no change of it waits')
  expect(await locks.accept('web', undefined, shownOf(locks))).toEqual(['fresh', 'old'])
  expect(said.at(-1)).toBeUndefined()
  expect(store.records.get('web')?.tools.map(({ name }) => name)).toEqual(['fresh', 'read'])
  expect(await locks.accept('web', undefined, shownOf(locks))).toEqual([])
})

test('only what was shown is accepted', async () => {
  const { locks } = setUp()
  locks.seen('web', list({ read: '1' }))
  locks.seen('web', list({ read: '2' }))
  const shown = shownOf(locks)
  locks.seen('web', list({ read: 'evil' }))
  await expect(locks.accept('web', undefined, shown)).rejects.toThrow('changed again')
  expect(await locks.accept('web', undefined, shownOf(locks))).toEqual(['read'])
})

test('nothing is accepted that could not be written', async () => {
  const { locks, store } = setUp()
  locks.seen('web', list({ read: '1' }))
  locks.seen('web', list({ read: '2' }))
  await locks[Symbol.asyncDispose]()
  store.failWith = new Error('the disk is full')
  await expect(locks.accept('web', undefined, shownOf(locks))).rejects.toThrow('full')
  expect(locks.of('web')?.seen).toBeDefined()
  expect(locks.acceptedHashes('web')?.get('read')).toContain('"1"')
})

test('a secret in a definition does not come to the disk, and counts for the hash all the same', async () => {
  const { locks, store, masker } = setUp()
  masker.hold('web', ['hunter22'])
  locks.seen('web', list({ read: 'the key is hunter22' }))
  await locks[Symbol.asyncDispose]()
  expect(store.records.get('web')?.tools[0]?.definition).toBe('{"description":"the key is [secret]","name":"read"}')
  locks.seen('web', list({ read: 'the key is hunter22' }))
  expect(locks.of('web')?.seen).toBeUndefined()
})

test('forgotten with its workload', async () => {
  const { locks, store } = setUp()
  locks.seen('web', list({ read: '1' }))
  await locks[Symbol.asyncDispose]()
  await locks.forget('web')
  expect(locks.acceptedHashes('web')).toBeUndefined()
  expect(store.records.size).toBe(0)
})

test('a lock that cannot be read trusts nothing, says so, and stays until somebody accepts', async () => {
  const store = new MemoryRecordStore<StoredToolLock>(({ name }) => name)
  const damaged = Object.assign(store, { unreadable: () => new Map([['web', 'it is cut off']]) })
  const { locks, said } = setUp(damaged)
  await locks.load()
  expect(locks.acceptedHashes('web')?.size).toBe(0)
  const now = list({ read: '2' })
  locks.seen('web', now)
  expect(said).toEqual([expect.stringContaining('cannot be read (it is cut off)')])
  expect(locks.acceptedHashes('web')?.size).toBe(0)
  await locks[Symbol.asyncDispose]()
  expect(store.records.size).toBe(0)
  expect(await locks.accept('web', undefined, now.revision)).toEqual(['read'])
  expect(store.records.get('web')).toMatchObject({ tools: [{ name: 'read' }] })
  locks.seen('web', list({ read: '3' }))
  expect(said.at(-1)).toBe('read changed')
})
