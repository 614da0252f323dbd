import type { FSWatcher } from 'node:fs'
import { lstat, readdir } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { invalid } from '@toolhaven/core/errors'
import { errnoOf } from '../files/errno.ts'
import { IGNORE_FILE, type Scope, ownScope, reasonToHide } from '../hiding/scope.ts'
import { watchFolder } from '../hiding/watch-folder.ts'

export interface WatchedTreeOptions {
  root: string
  ignoreCase: boolean
  onChanged: (path: string) => void
}

/** Folders that tools create in a project. A changed dependency also shows in the package lists. */
const NEVER_WATCHED = new Set(['node_modules', '.git', '.hg', '.svn', '.venv', 'venv', '__pycache__', '.DS_Store'])
/** Vim writes the first two before each save. Other editors write the last. */
const PASSING = /^(?:4913|.*~|\..*\.sw[a-z]|\.#.*)$/
const MOST_FOLDERS = 5000

interface Watched {
  watcher: FSWatcher
  identity: string
  scopes: readonly Scope[]
}

/** A folder with everything below it, except ignored files and files that .thvignore hides from the server. */
export class WatchedTree implements Disposable {
  readonly #options: WatchedTreeOptions
  readonly #watched = new Map<string, Watched>()
  #isClosed = false

  constructor(options: WatchedTreeOptions) {
    this.#options = options
  }

  /** False if the rules have changed since the folder was searched, or another folder has its name now, as after a new clone. */
  async isWhole(): Promise<boolean> {
    const { root } = this.#options
    const identity = await identityOf(root)
    return identity !== undefined && this.#watched.get(root)?.identity === identity
  }

  /** Watches a folder and its subfolders. */
  async enter(folder: string, above: readonly Scope[]): Promise<void> {
    const waiting = [{ folder, above }]
    for (let next = waiting.pop(); next !== undefined && !this.#isClosed; next = waiting.pop()) {
      const scopes = await this.#watch(next.folder, next.above)
      if (scopes === undefined) continue
      for (const entry of await this.#entries(next.folder)) {
        const path = join(next.folder, entry.name)
        if (entry.isDirectory() && !isIgnored(path, true, scopes)) waiting.push({ folder: path, above: scopes })
      }
    }
  }

  [Symbol.dispose](): void {
    this.#isClosed = true
    for (const path of this.#watched.keys()) this.#drop(path)
  }

  /** Undefined once the folder can no longer be watched. */
  async #watch(folder: string, above: readonly Scope[]): Promise<readonly Scope[] | undefined> {
    if (this.#watched.size >= MOST_FOLDERS)
      throw invalid(
        `${this.#options.root} has more than ${MOST_FOLDERS} folders to watch. Hide what the server does not need in .thvignore, or run the server without watch.`,
      )
    const identity = await identityOf(folder)
    // A folder that cannot be listed is also hidden from the server.
    const own = identity && (await ownScope(folder, this.#options.ignoreCase).catch(() => undefined))
    const scopes = own ? [...above, own] : above
    if (identity === undefined || this.#isClosed) return undefined
    const told = (name: string) => void this.#look(join(folder, name))
    const onLost = () => this.#options.onChanged(folder)
    const watcher = watchFolder(folder, { onName: told, onWritten: told, onLost })
    if (watcher === undefined) return undefined
    this.#drop(folder)
    this.#watched.set(folder, { watcher, identity, scopes })
    return scopes
  }

  async #entries(folder: string) {
    try {
      return await readdir(folder, { withFileTypes: true })
    } catch (error) {
      const code = errnoOf(error)
      if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'EACCES') return []
      throw error
    }
  }

  async #look(path: string): Promise<void> {
    // The rules changed, so the next start searches the folder again.
    if (basename(path) === IGNORE_FILE) return this.#drop(this.#options.root)
    const found = await lstat(path, { bigint: true }).catch(() => undefined)
    const scopes = this.#watched.get(dirname(path))?.scopes
    if (scopes === undefined || this.#isClosed || isIgnored(path, found?.isDirectory() ?? false, scopes)) return
    this.#options.onChanged(path)
    const known = this.#watched.get(path)
    if (!found?.isDirectory()) return this.#leave(path)
    if (known?.identity === `${found.dev}:${found.ino}`) return
    this.#leave(path)
    // The root itself could be read, so this fails only if the tree became too large. The next start reports that.
    await this.enter(path, scopes).catch(() => this.#drop(this.#options.root))
  }

  #leave(path: string): void {
    for (const folder of this.#watched.keys()) if (folder === path || folder.startsWith(`${path}/`)) this.#drop(folder)
  }

  #drop(folder: string): void {
    this.#watched.get(folder)?.watcher.close()
    this.#watched.delete(folder)
  }
}

function isIgnored(path: string, isFolder: boolean, scopes: readonly Scope[]): boolean {
  const name = basename(path)
  if (NEVER_WATCHED.has(name) || PASSING.test(name)) return true
  return reasonToHide(path, isFolder, scopes) !== undefined
}

async function identityOf(folder: string): Promise<string | undefined> {
  const found = await lstat(folder, { bigint: true }).catch(() => undefined)
  return found?.isDirectory() ? `${found.dev}:${found.ino}` : undefined
}
