import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { StoredSightings } from '@toolhaven/core/ports/stores'
import { expect, onTestFinished, test } from 'vitest'
import { createSightingsStore } from './sightings-store.ts'

const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }
const AT = '2026-01-01T00:00:00Z'
const WEB: StoredSightings = {
  name: 'Web',
  since: AT,
  dropped: 2,
  places: [
    {
      ...{ host: 'api.example.com', port: 80, outcome: 'unlisted', reason: 'why', count: 3, firstAt: AT, lastAt: AT },
      ...{ speaks: ['http', 'http-tunnel', 'tls', 'other'], paths: ['/a'] },
    },
  ],
}

async function open() {
  const parent = await mkdtemp(join(tmpdir(), 'thv-sightings-'))
  onTestFinished(() => rm(parent, { recursive: true, force: true }))
  const dir = join(parent, 'sightings')
  return { dir, openStore: () => createSightingsStore({ dir, logger: silent }) }
}

test('what was seen is read back as it was written, from files of the user alone', async () => {
  const { dir, openStore } = await open()
  await openStore().save(WEB)
  expect(await openStore().load()).toEqual([WEB])
  expect((await stat(join(dir, 'web.json'))).mode & 0o777).toBe(0o600)
  await openStore().remove('Web')
  expect(await openStore().load()).toEqual([])
})

test('a damaged file is set aside, and the others are read', async () => {
  const { dir, openStore } = await open()
  await openStore().save(WEB)
  await writeFile(join(dir, 'other.json'), '{"format":1,"record":{"name":"other"}}', { mode: 0o600 })
  expect(await openStore().load()).toEqual([WEB])
  expect(await readdir(dir)).not.toContain('other.json')
})
