import { mkdtemp, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { StoredExits } from '@toolhaven/core/ports/stores'
import { expect, onTestFinished, test } from 'vitest'
import { createExitStore } from './exit-store.ts'

const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }
const WEB: StoredExits = {
  name: 'Web',
  exits: [
    { ended_at: '2026-01-01T00:00:00Z', kind: 'exited', reason: 'code 1', exit_code: 1, last_lines: ['one', 'two'] },
    { ended_at: '2026-01-01T00:00:01Z', kind: 'not-started', reason: 'no image', last_lines: [] },
  ],
}

async function open() {
  const parent = await mkdtemp(join(tmpdir(), 'thv-exits-'))
  onTestFinished(() => rm(parent, { recursive: true, force: true }))
  const dir = join(parent, 'exits')
  return { dir, openStore: () => createExitStore({ dir, logger: silent }) }
}

test('exits are read back as they were written, from files of the user alone', async () => {
  const { dir, openStore } = await open()
  await openStore().save(WEB)
  expect(await openStore().load()).toEqual([WEB])
  expect((await stat(join(dir, 'web.json'))).mode & 0o777).toBe(0o600)
  await openStore().remove('Web')
  expect(await openStore().load()).toEqual([])
})

test('a damaged file is set aside, a newer one is left as it is, and the others are read', async () => {
  const { dir, openStore } = await open()
  await openStore().save(WEB)
  const newer = '{"format":99,"record":{"name":"newer"}}'
  await writeFile(join(dir, 'newer.json'), newer, { mode: 0o600 })
  await writeFile(join(dir, 'other.json'), '{"format":1,"record":{"name":"other"}}', { mode: 0o600 })
  expect(await openStore().load()).toEqual([WEB])
  expect(await readdir(dir)).not.toContain('other.json')
  expect(await readFile(join(dir, 'newer.json'), 'utf8')).toBe(newer)
})
