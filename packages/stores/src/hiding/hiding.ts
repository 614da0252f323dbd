import { stat } from 'node:fs/promises'
import { relative } from 'node:path'
import { invalid } from '@toolhaven/core/errors'
import type { Hidden, Hiding, HidingEvents, HidingWish } from '@toolhaven/core/ports/hiding'
import type { Mount } from '@toolhaven/core/ports/runtime'
import { isWithin } from '@toolhaven/core/workloads/is-within'
import { printable } from '@toolhaven/contract/visible-text'
import { type Covers, makeCovers } from './covers.ts'
import { FolderGuard, type Found } from './folder-guard.ts'
import { type IgnoreRules, parseIgnoreRules } from './ignore-rules.ts'
import { readIgnoreFile } from './read-ignore-file.ts'
import { watchForRepository } from './repository-watch.ts'
import { SEARCH_LIMITS, type SearchLimits } from './search-budget.ts'

export interface HidingOptions {
  /** The user's own ignore file. It need not exist. */
  globalFile: string
  /** The folder that contains the covers: an empty file and an empty folder. */
  coversDir: string
  /** Whether names that differ in case are the same, as on macOS. */
  ignoreCase: boolean
  events: HidingEvents
  limits?: SearchLimits
}

/** Finds what ignore files hide in mounted folders, and watches for later additions. */
export function createHiding(options: HidingOptions): Hiding {
  const guards = new Map<string, Disposable[]>()
  const close = (workload: string) => {
    for (const guard of guards.get(workload) ?? []) guard[Symbol.dispose]()
    guards.delete(workload)
  }
  return {
    open: async (workload, wish, signal) => {
      close(workload)
      const mine: Disposable[] = []
      guards.set(workload, mine)
      try {
        const onRepository = (path: string) => options.events.onRepository(workload, printable(path))
        for (const { hostPath, readOnly } of wish.mounts)
          if (!readOnly && (await isFolder(hostPath))) mine.push(watchForRepository(hostPath, onRepository))
        const onAppeared = (path: string) => options.events.onAppeared(workload, printable(path))
        return await hide(options, wish, (guard) => mine.push(guard), onAppeared, signal)
      } catch (error) {
        close(workload)
        throw error
      }
    },
    close,
    [Symbol.dispose]: () => [...guards.keys()].forEach(close),
  }
}

async function hide(
  options: HidingOptions,
  { mounts, loadGlobal }: HidingWish,
  keep: (guard: Disposable) => void,
  onAppeared: (path: string) => void,
  signal: AbortSignal,
): Promise<Hidden[]> {
  const { ignoreCase, limits = SEARCH_LIMITS } = options
  const globalRules = mounts.length > 0 && loadGlobal ? await readGlobalRules(options) : undefined
  const hidden: Hidden[] = []
  let covers: Covers | undefined
  for (const mount of mounts) {
    if (!(await isFolder(mount.hostPath))) continue
    const guard = new FolderGuard({ root: mount.hostPath, globalRules, ignoreCase, limits, onAppeared })
    keep(guard)
    const found = await guard.search(signal)
    if (found.size > 0) covers ??= await makeCovers(options.coversDir)
    for (const [path, what] of found) {
      const cover = covers && coverFor(mount, path, what, covers, mounts)
      if (cover) hidden.push({ ...what, cover })
    }
    if (hidden.length > limits.covers) {
      const advice = 'name whole folders in the ignore files, or mount smaller folders'
      throw invalid(`more than ${limits.covers} files and folders in the mounts would be hidden one by one; ${advice}`)
    }
  }
  return hidden.toSorted((one, other) => inOrder(one.cover, other.cover))
}

const isFolder = async (path: string) => (await stat(path).catch(() => undefined))?.isDirectory() ?? false

async function readGlobalRules({ globalFile, ignoreCase }: HidingOptions): Promise<IgnoreRules | undefined> {
  const text = await readIgnoreFile(globalFile, { followLinks: true })
  return text === undefined ? undefined : parseIgnoreRules(text, { label: globalFile, ignoreCase })
}

/** Undefined if another mount covers the place anyway. */
function coverFor(
  mount: Mount,
  path: string,
  { kind }: Found,
  covers: Covers,
  mounts: readonly Mount[],
): Mount | undefined {
  const base = mount.containerPath.replace(/\/+$/, '')
  const containerPath = `${base}/${relative(mount.hostPath, path)}`
  // Podman parses mounts as a comma-separated list, so such a name would change their meaning.
  if (/[,"\p{Cc}]/u.test(containerPath))
    throw invalid(
      `${printable(path)} cannot be hidden, because its name contains a comma, quotation mark or control character; rename it, or hide a folder above it`,
    )
  const others = mounts.filter((other) => other !== mount && isWithin(other.containerPath, base))
  if (others.some((other) => isWithin(containerPath, other.containerPath))) return undefined
  const inside = kind === 'folder' && others.find((other) => isWithin(other.containerPath, containerPath))
  if (inside)
    throw invalid(
      `the mount ${inside.containerPath} is in ${containerPath}, which an ignore file hides; mount it elsewhere, or change the rule`,
    )
  return { hostPath: covers[kind], containerPath, readOnly: true }
}

/** Outer mounts come before the mounts inside them. */
function inOrder({ containerPath: one }: Mount, { containerPath: other }: Mount): number {
  return one.split('/').length - other.split('/').length || (one < other ? -1 : 1)
}
