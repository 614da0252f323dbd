import {
  appendFile,
  chmod,
  chown,
  link,
  mkdir,
  mkdtemp,
  realpath,
  rename,
  rm,
  stat,
  symlink,
  unlink,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Hiding } from '@toolhaven/core/ports/hiding'
import type { Mount } from '@toolhaven/core/ports/runtime'
import { until } from '@toolhaven/testing/testbed/until'
import { FolderGuard } from './folder-guard.ts'
import { createHiding } from './hiding.ts'
import { SEARCH_LIMITS, type SearchLimits } from './search-budget.ts'

let dir: string
let root: string
let hiding: Hiding
let appeared: string[]
let repositories: string[]

const make = (limits: Partial<SearchLimits> = {}) =>
  createHiding({
    globalFile: join(dir, 'config', 'thvignore'),
    coversDir: join(dir, 'covers'),
    ignoreCase: false,
    events: {
      onAppeared: (workload, what) => void appeared.push(`${workload}: ${what}`),
      onRepository: (workload, path) => void repositories.push(`${workload}: ${path}`),
    },
    limits: { ...SEARCH_LIMITS, ...limits },
  })

beforeEach(async () => {
  dir = await realpath(await mkdtemp(join(tmpdir(), 'thv-hiding-')))
  root = join(dir, 'project')
  await mkdir(root)
  appeared = []
  repositories = []
  hiding = make()
})
afterEach(async () => {
  hiding[Symbol.dispose]()
  await rm(dir, { recursive: true, force: true })
})

/** Files below the mounted folder; one whose name ends with a slash is a folder. */
async function write(files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    const path = join(root, name)
    await mkdir(name.endsWith('/') ? path : dirname(path), { recursive: true })
    if (!name.endsWith('/')) await writeFile(path, text)
  }
}

const mountOf = (containerPath = '/p', hostPath = root): Mount => ({ hostPath, containerPath, readOnly: false })
const signal = () => AbortSignal.timeout(30_000)

async function hiddenIn(mounts: readonly Mount[] = [mountOf()], loadGlobal = true): Promise<string[]> {
  const hidden = await hiding.open('web', { mounts, loadGlobal }, signal())
  return hidden.map(({ kind, cover }) => `${cover.containerPath}${kind === 'folder' ? '/' : ''}`).toSorted()
}

/** Root reads every folder, so the tests of what cannot be read are somebody else. */
async function asOrdinaryUser<T>(act: () => Promise<T>): Promise<T> {
  if (process.geteuid?.() !== 0) return act()
  for (const path of [dir, root, join(root, '.thvignore')]) await chown(path, 65_534, 65_534)
  process.seteuid?.(65_534)
  try {
    return await act()
  } finally {
    process.seteuid?.(0)
  }
}

const told = () => until('it is told', () => appeared.length > 0 || undefined)

/** Whatever came before it has been told by the time that this one is. */
async function expectNothingToldBut(path: string): Promise<void> {
  await writeFile(join(root, path), '')
  await told()
  expect(appeared).toEqual([`web: ${join(root, path)}`])
}

describe('what is hidden in a mounted folder', () => {
  test('is what the file at its top names, and that file', async () => {
    await write({ '.thvignore': '.env\nkeys/\n*.pem\n!public.pem', '.env': 's', 'a/.env': 's', 'keys/deep/id': 's' })
    await write({ 'public.pem': '', 'a/b.pem': 's', note: '' })
    expect(await hiddenIn()).toEqual(['/p/.env', '/p/.thvignore', '/p/a/.env', '/p/a/b.pem', '/p/keys/'])
  })

  test('is covered by an empty file or folder that cannot be written, with the reason', async () => {
    await write({ '.thvignore': '.env\nkeys/', '.env': 's', 'keys/id': 's' })
    const hidden = await hiding.open('web', { mounts: [mountOf()], loadGlobal: true }, signal())
    const [file, folder] = ['/p/.env', '/p/keys'].map((path) =>
      hidden.find(({ cover }) => cover.containerPath === path),
    )
    expect(file).toMatchObject({ kind: 'file', cover: { readOnly: true }, reason: `".env" in ${root}/.thvignore` })
    expect(await stat(file?.cover.hostPath ?? '')).toMatchObject({ size: 0 })
    expect(folder).toMatchObject({ kind: 'folder', cover: { readOnly: true } })
    expect((await stat(folder?.cover.hostPath ?? '')).isDirectory()).toBe(true)
    expect(await hiddenIn()).toHaveLength(3)
  })

  test('is added to by files further down, which show nothing again', async () => {
    await write({ '.thvignore': '.env', 'a/.thvignore': '!.env\nlocal\n/only-here', 'a/.env': 's', 'a/local': 's' })
    await write({ 'a/b/local': 's', local: '', 'a/only-here': 's', 'a/b/only-here': '' })
    const expected = ['.thvignore', 'a/.env', 'a/.thvignore', 'a/b/local', 'a/local', 'a/only-here']
    expect(await hiddenIn()).toEqual(expected.map((path) => `/p/${path}`))
  })

  test('is nothing without a file at the top, and then nothing is looked through', async () => {
    hiding = make({ entries: 0 })
    await write({ 'a/.thvignore': '.env', 'a/.env': 's' })
    expect(await hiddenIn()).toEqual([])
  })

  test('is also what the global file names, unless that is not wanted', async () => {
    await mkdir(join(dir, 'config'))
    await writeFile(join(dir, 'config', 'thvignore'), '.env\n')
    await write({ '.env': 's', 'a/.env': 's', note: '' })
    expect(await hiddenIn()).toEqual(['/p/.env', '/p/a/.env'])
    expect(await hiddenIn([mountOf()], false)).toEqual([])
    await write({ '.thvignore': '!.env\nnote' })
    expect(await hiddenIn()).toEqual(['/p/.env', '/p/.thvignore', '/p/a/.env', '/p/note'])
  })

  test('is what a named link leads to within the folder, and nothing elsewhere', async () => {
    await write({ '.thvignore': 'link\nout\ngone', 'store/id': 's', 'free/x': '' })
    await writeFile(join(dir, 'outside'), '')
    await symlink('store', join(root, 'link'))
    await symlink(join(dir, 'outside'), join(root, 'out'))
    await symlink('nowhere', join(root, 'gone'))
    await symlink('free', join(root, 'open'))
    expect(await hiddenIn()).toEqual(['/p/.thvignore', '/p/store/'])
  })

  test('does not lead the search out of the folder or round in circles', async () => {
    await mkdir(join(dir, 'other'))
    await writeFile(join(dir, 'other', '.env'), 's')
    await write({ '.thvignore': '.env', 'a/x': '' })
    await symlink(join(dir, 'other'), join(root, 'other'))
    await symlink('..', join(root, 'a', 'up'))
    expect(await hiddenIn()).toEqual(['/p/.thvignore'])
  })

  test('is a folder that cannot be looked through', async () => {
    await write({ '.thvignore': '.env', 'shut/.env': 's' })
    await chmod(join(root, 'shut'), 0)
    const options = { root, globalRules: undefined, ignoreCase: false, limits: SEARCH_LIMITS, onAppeared: () => {} }
    using guard = new FolderGuard(options)
    const found = await asOrdinaryUser(() => guard.search(signal()))
    expect([...found.keys()]).toEqual([join(root, '.thvignore'), join(root, 'shut')])
    expect(found.get(join(root, 'shut'))).toEqual({ kind: 'folder', reason: 'it cannot be searched' })
  })

  test('leaves out what other mounts lie over, and single files', async () => {
    await write({ '.thvignore': '.env', '.env': 's', 'sub/.env': 's', 'sub/deep/.env': 's' })
    await mkdir(join(dir, 'other'))
    const mounts = [mountOf(), mountOf('/p/sub', join(dir, 'other')), mountOf('/env', join(root, '.env'))]
    expect(await hiddenIn(mounts)).toEqual(['/p/.env', '/p/.thvignore'])
  })
})

describe('a start is refused', () => {
  const refusal = (mounts?: readonly Mount[]) =>
    hiddenIn(mounts).then(
      () => 'not refused',
      (error: Error) => error.message,
    )

  test.each([
    ['entries', { entries: 3 }, 'more than 3 files and folders'],
    ['folders', { folders: 2 }, 'more than 2 folders'],
    ['covers', { covers: 2 }, 'more than 2 files and folders'],
  ])('when the folder would cost too much: %s', async (_what, limits, message) => {
    hiding = make(limits)
    await write({ '.thvignore': '.env', '.env': '', 'a/.env': '', 'b/.env': '', 'c/x': '' })
    expect(await refusal()).toMatch(new RegExp(`^cannot find out what to hide in .*${message}.*; name whole folders`))
  })

  test('when comparing names with the rules would take too long', async () => {
    hiding = make({ matchingMs: 0 })
    // Enough work for the clock of the processor, which moves in steps.
    const rules = Array.from({ length: 400 }, (_, at) => `*${at}*.pem`).join('\n')
    const files = Object.fromEntries(Array.from({ length: 1000 }, (_, at) => [`file-${at}`, '']))
    await write({ '.thvignore': rules, ...files })
    expect(await refusal()).toMatch(/^cannot find out what to hide in .*takes more than 0 s.*; name whole folders/)
  })

  test('when all mounts together would take too many covers', async () => {
    hiding = make({ covers: 3 })
    await write({ 'a/.thvignore': '', 'a/x': '', 'b/.thvignore': 'x', 'b/x': '' })
    const both = [mountOf('/a', join(root, 'a')), mountOf('/b', join(root, 'b'))]
    expect(await hiddenIn(both)).toEqual(['/a/.thvignore', '/b/.thvignore', '/b/x'])
    await write({ 'a/.thvignore': 'x' })
    expect(await refusal(both)).toContain('more than 3 files and folders in the mounts')
  })

  test('but not for a huge folder that is hidden as a whole', async () => {
    hiding = make({ entries: 5 })
    await write({
      '.thvignore': 'big/',
      ...Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`big/${at}`, ''])),
    })
    expect(await hiddenIn()).toEqual(['/p/.thvignore', '/p/big/'])
  })

  test('when the rules are a link, a folder, or too long', async () => {
    await writeFile(join(dir, 'secret'), 'canary-77\n')
    await symlink(join(dir, 'secret'), join(root, '.thvignore'))
    expect(await refusal()).toBe(`${root}/.thvignore is a link; replace it with the file`)
    await unlink(join(root, '.thvignore'))
    await mkdir(join(root, '.thvignore'))
    expect(await refusal()).toContain('must be a file')
    await rm(join(root, '.thvignore'), { recursive: true })
    await writeFile(join(root, '.thvignore'), 'x'.repeat(70_000))
    expect(await refusal()).toContain('larger than 64 KiB')
  })

  test.each(['a,source=', 'quo"te', 'new\nline'])(
    'when a name could say something else to an engine: %j',
    async (name) => {
      await write({ '.thvignore': '*.pem', [`${name}/x.pem`]: 's' })
      expect(await refusal()).toContain('because its name contains a comma, quotation mark or control character')
    },
  )

  test('when a name is not UTF-8', async () => {
    await write({ '.thvignore': '.env' })
    await mkdir(Buffer.concat([Buffer.from(`${root}/`), Buffer.from([0xff])]))
    expect(await refusal()).toContain('its name is not UTF-8')
  })

  test('when another mount lies in what is hidden', async () => {
    await write({ '.thvignore': 'keys/', 'keys/a': '' })
    expect(await refusal([mountOf(), mountOf('/p/keys/public', dir)])).toContain(
      'the mount /p/keys/public is in /p/keys',
    )
  })

  test('and nothing is watched after that', async () => {
    await write({ '.thvignore': '*.pem', 'a,b.pem': '' })
    await refusal()
    await write({ 'new.pem': '' })
    await rm(join(root, 'a,b.pem'))
    await hiddenIn()
    expect(appeared).toEqual([])
  })
})

describe('later on it is told', () => {
  beforeEach(async () => {
    await write({ '.thvignore': '.env\nkeys/\nlink', '.env': 's', 'a/b/note': '', 'keys/id': 's', 'store/id': 's' })
    await symlink('store', join(root, 'link'))
    await hiddenIn()
  })

  test.each<[string, string, () => Promise<unknown>]>([
    ['a new file', 'a/b/.env', () => write({ 'a/b/.env': 's' })],
    ['one that was moved there', 'a/.env', () => rename(join(root, 'a/b/note'), join(root, 'a/.env'))],
    ['one that was linked there', 'a/.env', () => link(join(root, 'a/b/note'), join(root, 'a/.env'))],
    ['a new folder', 'a/keys', () => mkdir(join(root, 'a/keys'))],
    ['a link', 'a/link', () => symlink('b', join(root, 'a/link'))],
    [
      'a hidden file saved as another one of its name, which takes the cover away',
      '.env',
      async () => {
        await writeFile(join(root, 'new'), 's2')
        await rename(join(root, 'new'), join(root, '.env'))
      },
    ],
    [
      'a hidden file deleted and made again',
      '.env',
      async () => {
        await unlink(join(root, '.env'))
        await writeFile(join(root, '.env'), 's2')
      },
    ],
    [
      'what a named link leads to made again',
      'store',
      async () => {
        await rm(join(root, 'store'), { recursive: true })
        await mkdir(join(root, 'store'))
      },
    ],
    ['changed rules', '.thvignore', () => appendFile(join(root, '.thvignore'), 'note\n')],
    ['new rules further down', 'a/.thvignore', () => write({ 'a/.thvignore': 'note' })],
  ])('of %s', async (_what, path, act) => {
    await act()
    await told()
    expect(appeared).toEqual([`web: ${join(root, path)}`])
  })

  test('of what comes with a whole folder', async () => {
    await mkdir(join(dir, 'elsewhere/deep'), { recursive: true })
    await writeFile(join(dir, 'elsewhere/deep/.env'), 's')
    await rename(join(dir, 'elsewhere'), join(root, 'a/came'))
    await told()
    expect(appeared).toEqual([`web: ${join(root, 'a/came')}`])
  })

  test('of what comes into a new folder', async () => {
    await write({ 'fresh/deep/x': '' })
    await write({ 'fresh/deep/.env': 's' })
    await told()
    expect(appeared).toHaveLength(1)
  })

  test('of what comes into a folder that took another one’s place', async () => {
    await rm(join(root, 'a'), { recursive: true })
    await write({ 'a/b/x': '' })
    await write({ 'a/b/.env': 's' })
    await told()
    expect(appeared).toHaveLength(1)
  })

  test('of a first file with rules', async () => {
    const plain = join(dir, 'plain')
    await mkdir(plain)
    await hiddenIn([mountOf('/p', plain)])
    await writeFile(join(plain, '.thvignore'), '.env')
    await told()
    expect(appeared).toEqual([`web: ${join(plain, '.thvignore')}`])
  })

  test('of nothing that stays covered or may be seen', async () => {
    await writeFile(join(root, '.env'), 'written in place')
    await write({ 'keys/more': 's', 'keys/deep/.env': 's', 'a/b/other': '', 'c/d/': '' })
    await chmod(join(root, 'keys'), 0o700)
    await rename(join(root, 'a/b'), join(root, 'a/moved'))
    await rm(join(root, 'c'), { recursive: true })
    await expectNothingToldBut('a/.env')
  })

  test('once, and no more after it was closed', async () => {
    await write({ 'a/.env': 's', 'a/b/.env': 's' })
    await told()
    await hiddenIn()
    expect(appeared).toHaveLength(1)
    hiding.close('web')
    await write({ 'a/keys/': '' })
    await hiding.open('other', { mounts: [mountOf()], loadGlobal: true }, signal())
    await write({ 'a/b/keys/': '' })
    await until('the other is told', () => appeared.length > 1 || undefined)
    expect(appeared[1]).toBe(`other: ${join(root, 'a/b/keys')}`)
  })
})

describe('a writable folder that becomes a repository', () => {
  test.each([
    ['by .git', ['.git/HEAD'], '/.git'],
    ['by .git of a linked working tree', ['.git'], '/.git'],
    ['without a working tree', ['HEAD', 'refs/heads', 'objects/info'], ''],
    ['that shares the objects of another one', ['HEAD', 'commondir'], ''],
  ])('%s is told once', async (_, names, where) => {
    await hiddenIn()
    await write(Object.fromEntries(names.map((name) => [name, ''])))
    await until('the news', async () => repositories.length > 0)
    expect(repositories).toEqual([`web: ${root}${where}`])
  })

  test('is not told when it is one already, nor of one that cannot be written', async () => {
    await write({ '.git/HEAD': '', 'sub/.git/HEAD': '' })
    await hiddenIn([mountOf(), { ...mountOf('/sub', join(root, 'sub')), readOnly: true }])
    await write({ '.git/index': '', HEAD: '', 'sub/HEAD': '', 'sub/refs/a': '', 'sub/objects/a': '' })
    await write({ '.thvignore': 'x\n' })
    await until('the news of the rules', async () => appeared.length > 0)
    expect(repositories).toEqual([])
  })
})
