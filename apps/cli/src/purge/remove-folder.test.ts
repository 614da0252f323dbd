import { chmod, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { removeFolder } from './remove-folder.ts'

let place: string
beforeEach(async () => {
  place = await mkdtemp(join(tmpdir(), 'thv-remove-'))
})
afterEach(() => rm(place, { recursive: true, force: true }))

test('a folder goes with all that is in it, read-only folders and links too, and what links point at stays', async () => {
  await mkdir(join(place, 'toolhaven', 'locked'), { recursive: true })
  await mkdir(join(place, 'other'))
  await writeFile(join(place, 'other', 'file'), '')
  await writeFile(join(place, 'toolhaven', 'locked', 'file'), '')
  await symlink(join(place, 'other'), join(place, 'toolhaven', 'link'))
  await chmod(join(place, 'toolhaven', 'locked'), 0o500)
  expect(await removeFolder(join(place, 'toolhaven'))).toBe(true)
  expect(await readdir(place)).toEqual(['other'])
  expect(await readdir(join(place, 'other'))).toEqual(['file'])
  expect(await removeFolder(join(place, 'toolhaven'))).toBe(false)
})

test('a folder that is not named after us is refused', async () => {
  await expect(removeFolder(place)).rejects.toThrow('is not a Toolhaven folder')
})
