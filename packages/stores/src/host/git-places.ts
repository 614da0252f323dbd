import type { Dirent } from 'node:fs'
import { lstat, readdir, readFile, readlink, realpath, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { invalid } from '@toolhaven/core/errors'
import { isWithin } from '@toolhaven/core/workloads/is-within'
import { printable } from '@toolhaven/contract/visible-text'
import { parseGitConfig } from './git-config.ts'

const MOST_ENTRIES = 1_000_000
const MOST_PLACES = 500
const MAX_FILE_BYTES = 1024 * 1024

interface Search {
  root: string
  homeDir: string
  places: Set<string>
}

/**
 * The places in a folder that decide which programs Git runs on this machine: repositories, and the hooks and configuration
 * files that a repository names outside of itself. If the folder itself is a `.git` folder or a bare repository, the user
 * named it on purpose, and the list is empty.
 */
export async function gitPlaces(
  root: string,
  homeDir: string,
  signal: AbortSignal,
  mostEntries = MOST_ENTRIES,
): Promise<string[]> {
  const search: Search = { root, homeDir, places: new Set() }
  const waiting = [root]
  let seen = 0
  await readEnclosing(search)
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    signal.throwIfAborted()
    const entries = await entriesOf(folder)
    seen += entries.length
    if (seen > mostEntries)
      throw invalid(
        `${root} cannot be searched for Git repositories, because it holds more than ${mostEntries} files and folders. Mount a smaller folder, or mount it read-only.`,
      )
    if (isRepository(entries)) {
      if (folder === root) return []
      add(search, folder)
      await readRepository(search, folder, folder)
      continue
    }
    for (const entry of entries) {
      const path = join(folder, entry.name)
      // On file systems that ignore case, Git also accepts `.GIT`.
      if (entry.name.toLowerCase() === '.git') await addWorkTree(search, folder, entry)
      else if (entry.isDirectory()) waiting.push(path)
    }
  }
  return [...search.places].filter((place) => !isBelowAnother(place, search.places))
}

/** Whether Git treats a folder with these names as a bare repository. */
export function isRepository(entries: readonly { name: string }[]): boolean {
  const names = new Set(entries.map(({ name }) => name))
  return names.has('HEAD') && (names.has('commondir') || (names.has('objects') && names.has('refs')))
}

/** The folder can be part of a working tree whose configuration names hooks in it. */
async function readEnclosing(search: Search): Promise<void> {
  for (let folder = dirname(search.root); folder !== dirname(folder); folder = dirname(folder)) {
    const gitDir = await gitDirOf(join(folder, '.git'))
    if (gitDir !== undefined) return readRepository(search, gitDir, folder)
  }
}

async function addWorkTree(search: Search, folder: string, entry: Dirent): Promise<void> {
  const path = join(folder, entry.name)
  if (entry.isSymbolicLink()) throw cannotProtect(path, 'it is a link')
  add(search, path)
  const gitDir = await gitDirOf(path)
  if (gitDir === undefined) return
  if (gitDir !== path) await addNamed(search, gitDir, path)
  await readRepository(search, gitDir, folder)
}

/** The folder that `.git` leads to. In a linked working tree and in a submodule, `.git` is a file that names it. */
async function gitDirOf(path: string): Promise<string | undefined> {
  const found = await lstat(path).catch(() => undefined)
  if (found === undefined || !found.isFile()) return found?.isDirectory() ? path : undefined
  const target = /^gitdir: (.+)$/m.exec((await textOf(path)) ?? '')?.[1]
  return target === undefined ? undefined : resolve(dirname(path), target.trim())
}

/** Follows the paths in a repository's configuration. Relative hook paths start at the working tree. */
async function readRepository(search: Search, gitDir: string, workTree: string): Promise<void> {
  const common = await textOf(join(gitDir, 'commondir'))
  const folders = common === undefined ? [gitDir] : [gitDir, resolve(gitDir, common.trim())]
  const waiting = folders.flatMap((folder) => CONFIGS.map((name) => join(folder, name)))
  for (const folder of folders) {
    for (const name of [...CONFIGS, 'hooks']) await addTarget(search, join(folder, name))
    await addHookTargets(search, join(folder, 'hooks'))
  }
  const read = new Set<string>()
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (read.has(file)) continue
    read.add(file)
    const { hooks, includes } = parseGitConfig((await textOf(file)) ?? '')
    for (const name of hooks) {
      const path = atHome(search, name, workTree)
      await addNamed(search, path, file)
      await addHookTargets(search, path)
    }
    for (const name of includes) {
      const path = atHome(search, name, dirname(file))
      await addNamed(search, path, file)
      if (read.size < MOST_PLACES) waiting.push(path)
    }
  }
}

const CONFIGS = ['config', 'config.worktree']

/** A hook is often a link to a script in the working tree. */
async function addHookTargets(search: Search, hooks: string): Promise<void> {
  for (const entry of await entriesOf(hooks))
    if (entry.isSymbolicLink()) await addTarget(search, join(hooks, entry.name))
}

/** What a link leads to; nothing for what is not a link. */
async function addTarget(search: Search, link: string): Promise<void> {
  const target = await readlink(link).catch(() => undefined)
  if (target !== undefined) await addNamed(search, resolve(dirname(link), target), link)
}

function atHome({ homeDir }: Search, name: string, base: string): string {
  return name.startsWith('~/') ? join(homeDir, name.slice(2)) : resolve(base, name)
}

/** Adds a path that `by` names. A path that does not exist cannot be covered by a mount, and the server could create it. */
async function addNamed(search: Search, path: string, by: string): Promise<void> {
  const { root } = search
  const real = await realpath(path).catch(() => undefined)
  if (!isWithin(real ?? path, root) && !isWithin(path, root)) return
  if (isBelowAnother(path, search.places)) return
  const named = `${printable(by)} names it`
  if (real === undefined) throw cannotProtect(path, `${named} and it does not exist: create it`)
  if (real !== path) throw cannotProtect(path, `${named} and it leads through a link`)
  if (real === root) return
  add(search, real)
}

function add({ root, places }: Search, path: string): void {
  if (path.includes('\uFFFD')) throw cannotProtect(path, 'its name is not UTF-8')
  places.add(path)
  if (places.size > MOST_PLACES)
    throw invalid(
      `${root} contains more than ${MOST_PLACES} Git repositories, which is too many to protect from the server. Mount a smaller folder, or mount it read-only.`,
    )
}

const cannotProtect = (path: string, why: string) =>
  invalid(
    `${printable(path)} decides which programs Git runs on this machine, and cannot be protected from the server: ${why}. Change that, or mount the folder read-only`,
  )

const isBelowAnother = (path: string, places: ReadonlySet<string>) =>
  [...places].some((place) => place !== path && isWithin(path, place))

/** Nothing if the file is gone or this user cannot read it, because Git cannot read it either. */
async function textOf(path: string): Promise<string | undefined> {
  const found = await stat(path).catch(() => undefined)
  if (found?.isFile() !== true || found.size > MAX_FILE_BYTES) return undefined
  return readFile(path, 'utf8').catch(() => undefined)
}

const entriesOf = (folder: string): Promise<Dirent[]> => readdir(folder, { withFileTypes: true }).catch(() => [])
