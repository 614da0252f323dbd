import { cp, mkdir, mkdtemp, readdir, rename, rm, stat, utimes } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'

/** How many entries of one kind stay. Those that were not used for longest are removed first. */
const KEPT = 4
/** An entry that was used within this time may still be in use. */
const IN_USE_MS = 3_600_000
/** What is still unfinished after this time belongs to a run that was killed. */
const ABANDONED_MS = 24 * 3_600_000

/**
 * What takes long to make and depends only on its inputs. It is outside the repository, so that a fresh clone finds it
 * too. Deleting the folder is always safe.
 */
const CACHE_FOLDER =
  process.env['THV_TEST_CACHE'] || join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'toolhaven-tests')

export interface CacheEntry {
  /** The kind of content: entries of one kind replace each other. */
  kind: string
  /** A hash of everything that it is made from. */
  key: string
  /** Another place for the cache, in the cache's own tests. */
  cacheFolder?: string
}

/** The entry's path. `make` writes a file or folder to the path it is given. It runs only when there is no entry. */
export async function fromCache(
  { kind, key, cacheFolder = CACHE_FOLDER }: CacheEntry,
  make: (path: string) => Promise<void>,
): Promise<string> {
  const folder = join(cacheFolder, kind)
  const entry = join(folder, key)
  if (await touch(entry)) return entry
  await mkdir(folder, { recursive: true })
  // Made next to its place and renamed: an interrupted run leaves no half entry.
  const staging = await mkdtemp(join(folder, 'new-'))
  try {
    await make(join(staging, 'entry'))
    await rename(join(staging, 'entry'), entry).catch(async (error: unknown) => {
      // Another run has made the same entry in the meantime: a folder does not replace a folder.
      if (!(await touch(entry))) throw error
    })
    await removeOldest(folder)
  } finally {
    await rm(staging, { recursive: true, force: true })
  }
  return entry
}

/** Copies the entry to `target`, in place of what is there. An interrupted copy leaves nothing at `target`. */
export async function copyFromCache(entry: string, target: string): Promise<void> {
  const next = `${target}.next`
  for (const folder of [next, target]) await rm(folder, { recursive: true, force: true })
  await cp(entry, next, { recursive: true })
  await rename(next, target)
}

async function touch(entry: string): Promise<boolean> {
  const now = new Date()
  return utimes(entry, now, now).then(
    () => true,
    () => false,
  )
}

async function removeOldest(folder: string): Promise<void> {
  const now = Date.now()
  const names = await readdir(folder)
  const entries = await Promise.all(
    names.map(async (name) => ({
      path: join(folder, name),
      isUnfinished: name.startsWith('new-'),
      // Another run may have removed it in the meantime.
      age: now - (await stat(join(folder, name)).catch(() => ({ mtimeMs: now }))).mtimeMs,
    })),
  )
  const old = entries
    .filter(({ isUnfinished }) => !isUnfinished)
    .toSorted((one, other) => one.age - other.age)
    .slice(KEPT)
    .filter(({ age }) => age > IN_USE_MS)
  const abandoned = entries.filter(({ isUnfinished, age }) => isUnfinished && age > ABANDONED_MS)
  for (const { path } of [...old, ...abandoned]) await rm(path, { recursive: true, force: true })
}
