import type { BigIntStats, FSWatcher } from 'node:fs'
import { lstat, readdir, realpath } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { invalid, unavailable } from '@toolhaven/core/errors'
import type { Hidden } from '@toolhaven/core/ports/hiding'
import { errnoOf } from '../files/errno.ts'
import { printable } from '@toolhaven/contract/visible-text'
import type { IgnoreRules } from './ignore-rules.ts'
import { IGNORE_FILE, type Scope, ownScope, reasonToHide } from './scope.ts'
import { SearchBudget, type SearchLimits } from './search-budget.ts'
import { watchFolder } from './watch-folder.ts'

export interface FolderGuardOptions {
  /** The mounted folder, links resolved. */
  root: string
  globalRules: IgnoreRules | undefined
  ignoreCase: boolean
  limits: SearchLimits
  /** Called at most once: the server then restarts, with a new guard. */
  onAppeared: (path: string) => void
}

export type Found = Pick<Hidden, 'kind' | 'reason'>

interface Watched {
  watcher: FSWatcher
  identity: string
  scopes: readonly Scope[]
}

/** Finds what to hide in one folder, and watches every folder that it searched for more. */
export class FolderGuard implements Disposable {
  readonly #options: FolderGuardOptions
  readonly #watched = new Map<string, Watched>()
  readonly #found = new Map<string, Found>()
  /** Identities of the files and folders that are covered or will be, by path. */
  readonly #known = new Map<string, string>()
  readonly #toLookAt = new Set<string>()
  #budget: SearchBudget
  /** One check at a time, and none before the search is complete. */
  #turn: Promise<void> = Promise.resolve()
  /** How many things were found that are not covered yet. */
  #news = 0
  #isClosed = false

  constructor(options: FolderGuardOptions) {
    this.#options = options
    this.#budget = new SearchBudget(options.root, options.limits)
  }

  /** Maps absolute paths to the kind of cover and the reason. Leaves out everything below a hidden folder. */
  async search(signal: AbortSignal): Promise<ReadonlyMap<string, Found>> {
    const { root, globalRules: rules } = this.#options
    const scopes = rules ? [{ base: root, rules, label: 'the global ignore file' }] : []
    const searching = this.#enter(root, scopes, signal)
    this.#turn = searching.catch(() => undefined)
    await searching
    const isBelowHidden = (path: string): boolean => {
      const above = dirname(path)
      if (above.length <= root.length) return false
      return this.#found.get(above)?.kind === 'folder' || isBelowHidden(above)
    }
    return new Map([...this.#found].filter(([path]) => !isBelowHidden(path)))
  }

  [Symbol.dispose](): void {
    this.#isClosed = true
    for (const { watcher } of this.#watched.values()) watcher.close()
    this.#watched.clear()
  }

  async #enter(top: string, above: readonly Scope[], signal: AbortSignal): Promise<void> {
    const waiting = [{ folder: top, above }]
    let pauseAt = performance.now() + AT_ONCE_MS
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      signal.throwIfAborted()
      const { folder } = next
      // Watched before it is read, so that later changes are reported.
      const watched = await this.#watch(folder)
      if (watched === undefined) continue
      const own = await ownScope(folder, this.#options.ignoreCase)
      watched.scopes = own ? [...next.above, own] : next.above
      // Only possible at the top: a folder without any rules is not searched.
      if (watched.scopes.length === 0) return
      for (const entry of await this.#entries(folder)) {
        // Comparing many files with slow rules must not block the daemon.
        if (performance.now() > pauseAt) {
          await setImmediate()
          pauseAt = performance.now() + AT_ONCE_MS
        }
        const path = join(folder, entry.name)
        const isHidden = await this.#judge(path, entry.isDirectory(), watched.scopes)
        if (isHidden || !entry.isDirectory()) continue
        refuseUnreadableName(path)
        waiting.push({ folder: path, above: watched.scopes })
      }
    }
  }

  async #watch(folder: string): Promise<Watched | undefined> {
    this.#budget.spend('folders')
    if (this.#isClosed) throw unavailable(`${this.#options.root} changed while it was searched; try again`)
    const watcher = watchFolder(folder, {
      onName: (name) => this.#lookLater(join(folder, name)),
      onWritten: (name) => {
        if (name === IGNORE_FILE) this.#tell(join(folder, name))
      },
      onLost: () => this.#tell(folder),
    })
    const itself = await lstat(folder, { bigint: true }).catch(() => undefined)
    if (watcher === undefined || itself === undefined) {
      watcher?.close()
      if (itself !== undefined) this.#hideUnreadable(folder, itself)
      return undefined
    }
    const watched: Watched = { watcher, identity: identityOf(itself), scopes: [] }
    this.#watched.get(folder)?.watcher.close()
    this.#watched.set(folder, watched)
    return watched
  }

  /** The server may run as a user who can read a folder that the daemon cannot read. */
  #hideUnreadable(folder: string, itself: BigIntStats): void {
    if (folder === this.#options.root)
      throw invalid(`${folder} cannot be read, so Toolhaven does not know what to hide; make it readable for this user`)
    this.#cover(folder, itself, 'it cannot be searched')
  }

  async #entries(folder: string) {
    try {
      return await readdir(folder, { withFileTypes: true })
    } catch (error) {
      const code = errnoOf(error)
      if (code === 'ENOENT' || code === 'ENOTDIR') return []
      throw error
    }
  }

  /** Whether the rules hide the path. If so, records what to cover. */
  async #judge(path: string, isFolder: boolean, scopes: readonly Scope[]): Promise<boolean> {
    this.#budget.spend('entries')
    const reason = this.#reason(path, isFolder, scopes)
    if (reason === undefined) return false
    refuseUnreadableName(path)
    const itself = await lookAt(path)
    if (itself?.isSymbolicLink()) await this.#coverTarget(path, itself, reason)
    else if (itself) this.#cover(path, itself, reason)
    return true
  }

  #reason(path: string, isFolder: boolean, scopes: readonly Scope[]): string | undefined {
    const began = process.threadCpuUsage()
    const reason = reasonToHide(path, isFolder, scopes)
    const { user, system } = process.threadCpuUsage(began)
    this.#budget.spend('matchingMs', (user + system) / 1000)
    return reason
  }

  #cover(path: string, itself: BigIntStats, reason: string): void {
    this.#note(path, itself)
    if (this.#found.has(path)) return
    this.#budget.spend('covers')
    this.#found.set(path, { kind: itself.isDirectory() ? 'folder' : 'file', reason })
  }

  /** A mount covers the target of a link, never the link itself. Targets outside the folder do not exist for the server. */
  async #coverTarget(link: string, itself: BigIntStats, reason: string): Promise<void> {
    this.#note(link, itself)
    const path = await realpath(link).catch(() => '')
    if (!path.startsWith(`${this.#options.root}/`)) return
    refuseUnreadableName(path)
    const target = await lookAt(path)
    if (target) this.#cover(path, target, reason)
  }

  #note(path: string, itself: BigIntStats): void {
    const identity = identityOf(itself)
    if (this.#known.get(path) !== identity) this.#news += 1
    this.#known.set(path, identity)
  }

  #lookLater(path: string): void {
    if (this.#isClosed || this.#toLookAt.has(path)) return
    this.#toLookAt.add(path)
    this.#turn = this.#turn.then(async () => {
      this.#toLookAt.delete(path)
      // Without knowing what is visible, restart: the start checks the folder or reports why it cannot.
      await this.#look(path).catch(() => this.#tell(path))
    })
  }

  /** Handles a name in a watched folder that is new, gone, or stands for another file. */
  async #look(path: string): Promise<void> {
    const scopes = this.#watched.get(dirname(path))?.scopes
    if (scopes === undefined || this.#isClosed) return
    this.#budget = new SearchBudget(this.#options.root, this.#options.limits)
    const itself = await lookAt(path)
    if (itself === undefined) return this.#leave(path)
    const identity = identityOf(itself)
    if (this.#known.get(path) === identity) return
    const isFolder = itself.isDirectory()
    if (this.#found.has(path) || this.#reason(path, isFolder, scopes) !== undefined) return this.#tell(path)
    if (!isFolder || scopes.length === 0 || this.#watched.get(path)?.identity === identity) return
    this.#leave(path)
    const before = this.#news
    await this.#enter(path, scopes, NEVER)
    const isTooMuch = this.#watched.size > this.#options.limits.folders
    if (this.#news > before || isTooMuch) this.#tell(path)
  }

  #leave(path: string): void {
    this.#known.delete(path)
    for (const [folder, { watcher }] of this.#watched) {
      if (folder !== path && !folder.startsWith(`${path}/`)) continue
      watcher.close()
      this.#watched.delete(folder)
    }
  }

  #tell(path: string): void {
    if (this.#isClosed) return
    this[Symbol.dispose]()
    this.#options.onAppeared(path)
  }
}

const AT_ONCE_MS = 10
const NEVER = new AbortController().signal

const lookAt = (path: string) => lstat(path, { bigint: true }).catch(() => undefined)

/** Inode numbers of deleted files are reused, so the birth time tells the files apart. */
function identityOf({ dev, ino, birthtimeNs }: BigIntStats): string {
  return `${dev}:${ino}:${birthtimeNs}`
}

/** Bytes that are not UTF-8 are read as U+FFFD, so the name no longer leads to the file. */
function refuseUnreadableName(path: string): void {
  if (path.includes('\uFFFD'))
    throw invalid(`${printable(path)} can be neither hidden nor searched, because its name is not UTF-8; rename it`)
}
