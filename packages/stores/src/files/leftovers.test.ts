import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { removeLeftovers } from './remove-leftovers.ts'
import { filesSetAside, setAside } from './set-aside.ts'

let base = ''
beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'thv-left-'))
  for (const folder of ['state/sessions', 'config']) await mkdir(join(base, folder), { recursive: true })
})
afterEach(() => rm(base, { recursive: true, force: true }))

const write = (path: string) => writeFile(join(base, path), '{}')

test('what a crash left of a write is removed, and nothing else', async () => {
  const left = ['state/.lock.0123456789ab.tmp', 'state/sessions/.time.json.0123456789ab.tmp']
  const shared = ['config/.config.yaml.0123456789ab.tmp', 'config/.config.yaml.ba9876543210.tmp']
  const kept = ['state/lock', 'state/notes.tmp', 'state/sessions/time.json', 'config/config.yaml']
  for (const path of [...left, ...shared, ...kept]) await write(path)
  // Another daemon may be about to finish the younger one.
  await utimes(join(base, shared[0] ?? ''), 0, 0)
  await removeLeftovers(join(base, 'state'), [join(base, 'config'), join(base, 'nowhere')])
  const found = await readdir(base, { recursive: true, withFileTypes: true })
  const files = found.filter((entry) => entry.isFile()).map(({ name }) => name)
  expect(files.toSorted()).toEqual(
    ['.config.yaml.ba9876543210.tmp', 'config.yaml', 'lock', 'notes.tmp', 'time.json'].toSorted(),
  )
})

test('files that were set aside are found where they lie', async () => {
  const paths = ['state/instance.json', 'state/sessions/time.json', 'state/sessions/other.json']
  for (const path of paths) await write(path)
  const aside = [await setAside(join(base, 'state/instance.json'), 0), await setAside(join(base, paths[1] ?? ''), 0)]
  expect(filesSetAside(join(base, 'state')).toSorted()).toEqual(aside.toSorted())
  expect(filesSetAside(join(base, 'nowhere'))).toEqual([])
})
