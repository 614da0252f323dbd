import { mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises'
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

test('of one kind only the entries stay that were used last, and those that may be in use', async () => {
  const make = (path: string) => writeFile(path, '')
  const folder = join(cacheFolder, 'many')
  for (const key of ['a', 'b', 'c', 'd', 'e', 'f']) await fromCache({ cacheFolder, kind: 'many', key }, make)
  expect((await readdir(folder)).toSorted()).toEqual(['a', 'b', 'c', 'd', 'e', 'f'])
  for (const key of ['a', 'b', 'c']) await age(join(folder, key), 2)
  await fromCache({ cacheFolder, kind: 'many', key: 'a' }, make)
  await fromCache({ cacheFolder, kind: 'many', key: 'g' }, make)
  expect((await readdir(folder)).toSorted()).toEqual(['a', 'd', 'e', 'f', 'g'])
})

test('what a killed run did not finish goes after a day', async () => {
  const folder = join(cacheFolder, 'killed')
  await mkdir(join(folder, 'new-old'), { recursive: true })
  await mkdir(join(folder, 'new-young'))
  await age(join(folder, 'new-old'), 25)
  await fromCache({ cacheFolder, kind: 'killed', key: 'a' }, (path) => writeFile(path, ''))
  expect((await readdir(folder)).toSorted()).toEqual(['a', 'new-young'])
})

async function age(path: string, hours: number): Promise<void> {
  const then = new Date(Date.now() - hours * 3_600_000)
  await utimes(path, then, then)
}
