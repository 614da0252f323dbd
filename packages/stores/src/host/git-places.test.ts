import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { gitPlaces } from './git-places.ts'

let root: string
beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'thv-git-')))
})
afterEach(() => rm(root, { recursive: true, force: true }))

/** A name that ends with a slash is a folder. */
async function write(files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    const path = join(root, name)
    await mkdir(name.endsWith('/') ? path : dirname(path), { recursive: true })
    if (!name.endsWith('/')) await writeFile(path, text)
  }
}

const find = async (folder = '', mostEntries?: number) => {
  const found = await gitPlaces(join(root, folder), join(root, 'home'), AbortSignal.timeout(30_000), mostEntries)
  return found.map((path) => relative(root, path)).toSorted()
}
const hooksAt = (path: string) => `[core]\n\tbare = false\n\thooksPath = ${path}\n`

test('repositories are found at any depth, and nothing in an ordinary folder', async () => {
  await write({ 'a/notes': '', 'a/.gitignore': '', 'a/HEAD': '' })
  expect(await find()).toEqual([])
  await write({
    '.git/config': '',
    'x/y/.git/config': '',
    'bare.git/HEAD': '',
    'bare.git/objects/': '',
    'bare.git/refs/': '',
    'shared/HEAD': '',
    'shared/commondir': '../bare.git',
  })
  expect(await find()).toEqual(['.git', 'bare.git', 'shared', 'x/y/.git'])
})

test('a folder that is itself a repository was named on purpose', async () => {
  await write({ '.git/HEAD': '', '.git/objects/': '', '.git/refs/': '', '.git/modules/m/HEAD': '' })
  expect(await find('.git')).toEqual([])
})

test('submodules and linked working trees are found with the folder that their file names', async () => {
  await write({
    'sub/.git': 'gitdir: ../store/sub\n',
    'store/sub/config': '',
    'tree/.git': `gitdir: ${join(root, 'main/.git/worktrees/tree')}\n`,
    'main/.git/worktrees/tree/commondir': '../..\n',
    'main/.git/config': hooksAt('scripts/hooks'),
    'tree/scripts/hooks/': '',
    'main/scripts/hooks/': '',
  })
  expect(await find()).toEqual([
    'main/.git',
    'main/scripts/hooks',
    'store/sub',
    'sub/.git',
    'tree/.git',
    'tree/scripts/hooks',
  ])
  expect(await find('tree')).toEqual(['tree/.git', 'tree/scripts/hooks'])
})

describe('what a configuration names in the folder counts too:', () => {
  test.each([
    ['hooks', { '.git/config': hooksAt('.husky/_'), '.husky/_/': '' }, ['.git', '.husky/_']],
    [
      'hooks in quotation marks',
      { '.git/config': '[core] HooksPath = "my hooks" ; here', 'my hooks/': '' },
      ['.git', 'my hooks'],
    ],
    ['hooks over two lines', { '.git/config': '[core]\nhooksPath = ho\\\noks\n', 'hooks/': '' }, ['.git', 'hooks']],
    ['hooks of one working tree', { '.git/config.worktree': hooksAt('hooks'), 'hooks/': '' }, ['.git', 'hooks']],
    [
      'an included file',
      { '.git/config': '[include]\n path = ../.gitconfig', '.gitconfig': '' },
      ['.git', '.gitconfig'],
    ],
    [
      'hooks of a file that is included under a condition',
      { '.git/config': '[includeIf "onbranch:main"]\n path = ../cfg', cfg: hooksAt('h'), 'h/': '' },
      ['.git', 'cfg', 'h'],
    ],
    ['nothing outside of it', { '.git/config': hooksAt('/nowhere/hooks') }, ['.git']],
  ])('%s', async (_, files, places) => {
    await write(files)
    expect(await find()).toEqual(places)
  })

  test('a script that a hook is a link to', async () => {
    await write({ '.git/hooks/': '', 'scripts/check.sh': '' })
    await symlink('../../scripts/check.sh', join(root, '.git/hooks/pre-commit'))
    expect(await find()).toEqual(['.git', 'scripts/check.sh'])
  })

  test('hooks in a part of a working tree', async () => {
    await write({ '.git/config': hooksAt('tools/hooks'), 'tools/hooks/': '', 'tools/server.js': '' })
    expect(await find('tools')).toEqual(['tools/hooks'])
  })
})

describe('refused is', () => {
  test.each([
    [
      'a folder of hooks that does not exist yet',
      { '.git/config': hooksAt('hooks') },
      /hooks decides .* it does not exist: create it/,
    ],
    [
      'a repository that does not exist yet',
      { '.git': 'gitdir: later\n' },
      /later decides .* it does not exist: create it/,
    ],
    ['more than can be searched', { a: '', b: '', c: '' }, /holds more than 2 files and folders/],
  ])('%s', async (_, files, why) => {
    await write(files)
    await expect(find('', 2)).rejects.toThrow(why)
  })

  test('a link in the place of a repository, or of its hooks', async () => {
    await write({ 'elsewhere/HEAD': '', 'a/': '', 'b/.git/config': hooksAt('hooks'), 'b/real/': '' })
    await symlink('../elsewhere', join(root, 'a/.git'))
    await expect(find('a')).rejects.toThrow('it is a link')
    await symlink('real', join(root, 'b/hooks'))
    await expect(find('b')).rejects.toThrow('it leads through a link')
  })
})
