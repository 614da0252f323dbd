import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { fromCache } from './cache.ts'

let cacheFolder: string

beforeAll(async () => {
  cacheFolder = await mkdtemp(join(tmpdir(), 'thv-test-cache-'))
})
afterAll(() => rm(cacheFolder, { recursive: true, force: true }))

test('an entry is made once and found again', async () => {
  let made = 0
  const make = async (path: string) => {
    made += 1
    await writeFile(path, `${made}`)
  }
  await fromCache({ cacheFolder, kind: 'file', key: 'a' }, make)
  const entry = await fromCache({ cacheFolder, kind: 'file', key: 'a' }, make)
  expect(await readFile(entry, 'utf8')).toBe('1')
})

test('an entry that cannot be made leaves nothing', async () => {
  const fail = async (path: string) => {
    await mkdir(path)
    throw new Error('no space')
  }
  await expect(fromCache({ cacheFolder, kind: 'broken', key: 'a' }, fail)).rejects.toThrow('no space')
  expect(await readdir(join(cacheFolder, 'broken'))).toEqual([])
})

test('two runs that make the same folder at once both get it', async () => {
  const make = async (path: string) => {
    await mkdir(path)
    await writeFile(join(path, 'text'), 'same')
  }
  const entries = await Promise.all([1, 2].map(() => fromCache({ cacheFolder, kind: 'folder', key: 'a' }, make)))
  for (const entry of entries) expect(await readFile(join(entry, 'text'), 'utf8')).toBe('same')
  expect(await readdir(join(cacheFolder, 'folder'))).toEqual(['a'])
})

test('of one kind only the entries stay that were used last', async () => {
  const make = (path: string) => writeFile(path, '')
  for (const key of ['a', 'b', 'c', 'd']) await fromCache({ cacheFolder, kind: 'many', key }, make)
  await fromCache({ cacheFolder, kind: 'many', key: 'a' }, make)
  await fromCache({ cacheFolder, kind: 'many', key: 'e' }, make)
  expect((await readdir(join(cacheFolder, 'many'))).toSorted()).toEqual(['a', 'c', 'd', 'e'])
})
