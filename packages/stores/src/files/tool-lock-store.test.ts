import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { StoredToolLock } from '@toolhaven/core/ports/stores'
import { silentLogger } from '@toolhaven/fakes/memory-stores'
import { expect, onTestFinished, test } from 'vitest'
import { createToolLockStore } from './tool-lock-store.ts'

async function setUp() {
  const dir = await mkdtemp(join(tmpdir(), 'thv-locks-'))
  onTestFinished(() => rm(dir, { recursive: true }))
  return { dir, store: createToolLockStore({ dir, logger: silentLogger }) }
}

const tool = { name: 'echo', hash: 'abc', definition: '{"name":"echo"}' }
const since = '2026-01-15T09:30:00Z'
const lock: StoredToolLock = { name: 'web', since, parts: { tool: { accepted: [tool] } } }

test('what was accepted is kept in a file of its workload, for its owner only, until it is removed', async () => {
  const { dir, store } = await setUp()
  const seen = { at: since, revision: 'r', definitions: [{ ...tool, hash: 'def' }] }
  const changed = { ...lock, parts: { tool: { accepted: [tool], seen }, prompt: { accepted: [] } } }
  await store.save(lock)
  await store.save(changed)
  expect(await readdir(dir)).toEqual(['web.json'])
  expect((await stat(join(dir, 'web.json'))).mode & 0o777).toBe(0o600)
  expect(await store.load()).toEqual([changed])
  await store.remove('web')
  expect(await readdir(dir)).toEqual([])
})

test('a server cannot lose its lock by a tool whose name no file should hold', async () => {
  const { store } = await setUp()
  const name = 'a\0b\ud83d'
  const accepted = [{ ...tool, name, definition: JSON.stringify({ name }) }]
  const odd = { ...lock, parts: { tool: { accepted } } }
  await store.save(odd)
  expect(await store.load()).toEqual([odd])
})

test('a definition that is not JSON is damage: the file stays, and it is known that it cannot be read', async () => {
  const { dir, store } = await setUp()
  await store.save(lock)
  const text = await readFile(join(dir, 'web.json'), 'utf8')
  await writeFile(join(dir, 'web.json'), text.replace(String.raw`{\"name\"`, String.raw`{\"name`))
  expect(await store.load()).toEqual([])
  expect([...(store.unreadable?.() ?? new Map()).keys()]).toEqual(['web'])
  // A restart later it is still there, until the tools are accepted.
  expect(await readdir(dir)).toEqual(['web.json'])
  await store.save(lock)
  expect(await store.load()).toEqual([lock])
  expect(store.unreadable?.().size).toBe(0)
})

test('a file from before there were other parts keeps its tools, and lacks the rest', async () => {
  const { dir, store } = await setUp()
  const seen = { at: since, revision: 'r', tools: [{ ...tool, hash: 'def' }] }
  const record = { name: 'web', since, tools: [tool], seen }
  await writeFile(join(dir, 'web.json'), JSON.stringify({ format: 1, record }), { mode: 0o600 })
  const { tools: definitions, ...rest } = seen
  const read = { name: 'web', since, parts: { tool: { accepted: [tool], seen: { ...rest, definitions } } } }
  expect(await store.load()).toEqual([read])
  // It was written in the new format, so the next start reads the same.
  expect(await store.load()).toEqual([read])
  expect(store.unreadable?.().size).toBe(0)
})

test.each([
  ['with a field that nobody knows', { name: 'web', since, tools: [tool], trusted: true }],
  ['without its tools', { name: 'web', since }],
])('an older file %s is damaged, not older', async (_what, record) => {
  const { dir, store } = await setUp()
  await writeFile(join(dir, 'web.json'), JSON.stringify({ format: 1, record }), { mode: 0o600 })
  expect(await store.load()).toEqual([])
  expect([...(store.unreadable?.() ?? new Map()).keys()]).toEqual(['web'])
})
