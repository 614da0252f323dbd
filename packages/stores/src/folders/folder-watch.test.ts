import { appendFile, mkdir, mkdtemp, realpath, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { FolderWatch } from '@toolhaven/core/ports/folder-watch'
import { until } from '@toolhaven/testing/testbed/until'
import { createFolderWatch } from './folder-watch.ts'

let root: string
let folders: FolderWatch
let told: string[]
const at = (...names: string[]) => join(root, ...names)

beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'thv-watch-')))
  told = []
  folders = createFolderWatch({
    ignoreCase: false,
    events: { onChanged: (name, path) => void told.push(`${name} ${path}`) },
  })
})
afterEach(async () => {
  folders[Symbol.dispose]()
  await rm(root, { recursive: true, force: true })
})

/** What is told next, after what must not be told at all. */
async function next(change: () => Promise<void>): Promise<string> {
  told.length = 0
  await change()
  return until('a change to be told', () => told[0])
}

test('a change anywhere in the folder is told once, also in folders that are new', async () => {
  await mkdir(at('src/deep'), { recursive: true })
  await folders.open('web', root)
  expect(await next(() => writeFile(at('src/deep/a'), '1'))).toBe(`web ${at('src/deep/a')}`)
  expect(await next(() => appendFile(at('src/deep/a'), '2'))).toBe(`web ${at('src/deep/a')}`)
  expect(await next(() => mkdir(at('new')))).toBe(`web ${at('new')}`)
  expect(await next(() => writeFile(at('new/b'), ''))).toBe(`web ${at('new/b')}`)
  expect(await next(() => rename(at('src'), at('lib')))).toMatch(/\/(src|lib)$/)
  expect(await next(() => writeFile(at('lib/deep/a'), '3'))).toBe(`web ${at('lib/deep/a')}`)
  const many = async () => {
    for (let number = 0; number < 50; number += 1) await writeFile(at(`file-${number}`), '')
  }
  await next(many)
  await next(() => writeFile(at('last'), ''))
  expect(told).toEqual([`web ${at('last')}`])
})

test('what is installed, hidden or passing is not told', async () => {
  for (const folder of ['node_modules/a', '.git', 'private', 'src/__pycache__'])
    await mkdir(at(folder), { recursive: true })
  await writeFile(at('.thvignore'), 'private/\n*.log\n')
  await folders.open('web', root)
  const quiet = [
    'node_modules/a/x',
    '.git/index',
    'private/key',
    'src/__pycache__/x.pyc',
    'run.log',
    'src/4913',
    'src/.a.js.swp',
    'a~',
  ]
  const change = async () => {
    for (const name of quiet) await writeFile(at(name), '')
    await writeFile(at('src/seen'), '')
  }
  expect(await next(change)).toBe(`web ${at('src/seen')}`)
})

test('other rules count from the next start on', async () => {
  await writeFile(at('.thvignore'), '*.log\n')
  await folders.open('web', root)
  await writeFile(at('.thvignore'), '*.txt\n')
  await until('the new rules to count', async () => {
    await folders.open('web', root)
    told.length = 0
    await writeFile(at('a.log'), String(told.length))
    return until('a change', () => told.length > 0, 1000).catch(() => false)
  })
})

test('a folder that took the place of another is watched from the next start on', async () => {
  await mkdir(at('project'))
  await folders.open('web', at('project'))
  await rename(at('project'), at('before'))
  await mkdir(at('project'))
  await folders.open('web', at('project'))
  expect(await next(() => writeFile(at('project/a'), ''))).toBe(`web ${at('project/a')}`)
})

test('a workload that was closed, or is watched elsewhere now, is told nothing more', async () => {
  const other = await realpath(await mkdtemp(join(tmpdir(), 'thv-watch-other-')))
  try {
    await folders.open('web', root)
    await folders.open('second', root)
    await folders.open('web', other)
    expect(await next(() => writeFile(at('a'), ''))).toBe(`second ${at('a')}`)
    folders.close('second')
    expect(
      await next(async () => {
        await writeFile(at('b'), '')
        await writeFile(join(other, 'c'), '')
      }),
    ).toBe(`web ${join(other, 'c')}`)
  } finally {
    await rm(other, { recursive: true })
  }
})
