import { createHash, randomBytes } from 'node:crypto'
import { constants, statSync } from 'node:fs'
import { link, open, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { conflict, unavailable } from '@toolhaven/core/errors'
import { syncFolder, writeFault } from './atomic-write.ts'
import { errnoOf } from './errno.ts'
import { type LockHolder, folderIdentity, isAlive, lockPath, parseHolder } from './lock-file.ts'
import { ensurePrivateFolder } from './private-folder.ts'
import { readPrivateFile } from './private-file.ts'
import { pidNamespace, processStart } from './process-identity.ts'

/** `taken`: another daemon has it. `gone`: the folder was removed, and nothing remembers what this daemon started. */
export type LockState = 'held' | 'taken' | 'gone'

export interface InstanceLock extends AsyncDisposable {
  readonly token: string
  state(): Promise<LockState>
  /** Releases the folder, unless another daemon holds it now. */
  release(): Promise<void>
}

const FORMAT = 1

/** Makes this process the only owner of the state folder. Throws `conflict` with the process ID of a live owner. */
export async function acquireInstanceLock(options: { stateDir: string; socketPath: string }): Promise<InstanceLock> {
  const { stateDir, socketPath } = options
  await ensurePrivateFolder(stateDir)
  const namespace = await pidNamespace()
  const started = await processStart(process.pid)
  if (started === undefined) throw unavailable('cannot find out when this process started: is /proc mounted?')
  const token = randomBytes(16).toString('hex')
  const own: LockHolder = {
    format: FORMAT,
    pid: process.pid,
    started,
    ...(namespace === undefined ? {} : { pidNamespace: namespace }),
    socketPath,
    token,
    folder: folderIdentity(stateDir),
  }
  const path = lockPath(stateDir)
  const written = join(stateDir, `.lock-${token}`)
  try {
    await writeNew(written, JSON.stringify(own))
    await take({ stateDir, written }, path)
    await syncFolder(stateDir)
  } catch (error) {
    throw writeFault(error, stateDir)
  } finally {
    await rm(written, { force: true })
    await rm(freshLink(written), { force: true })
  }
  const release = async () => {
    const holder = await readHolder(path)
    if (holder?.token === token) await rm(path, { force: true })
  }
  const state: InstanceLock['state'] = async () => {
    if (!isThere(stateDir) || folderIdentity(stateDir) !== own.folder) return 'gone'
    const found = await readHolder(path)
    // A lock that is damaged, or that came back from a backup, has no owner.
    if (found?.holder === undefined || found.token === token) return 'held'
    return (await isAlive(found.holder, stateDir)) ? 'taken' : 'held'
  }
  return { token, state, release, [Symbol.asyncDispose]: release }
}

/** Throws if this cannot be determined now. */
function isThere(folder: string): boolean {
  return statSync(folder, { throwIfNoEntry: false }) !== undefined
}

interface Taking {
  stateDir: string
  /** Our own lock text, complete and synced; a hard link of it is the lock. */
  written: string
}

/**
 * `link` is atomic and fails if the name exists, so only one process gets a free lock. To replace a stale lock, a process
 * first takes a second lock, whose name holds the stale lock's token. If the stale token is then still in place, only this
 * process may replace it. The second lock can be stale too; the same rule frees it.
 */
async function take(taking: Taking, path: string): Promise<void> {
  for (;;) {
    try {
      await link(taking.written, path)
      return
    } catch (error) {
      if (errnoOf(error) !== 'EEXIST') throw error
    }
    const found = await readHolder(path)
    if (found === undefined) continue // released meanwhile
    if (found.holder !== undefined && (await isAlive(found.holder, taking.stateDir))) throw alreadyOwned(found.holder)
    const claim = join(taking.stateDir, `lock.claim-${found.token}`)
    await take(taking, claim)
    try {
      const still = await readHolder(path)
      if (still?.token !== found.token) continue
      // rename() replaces atomically, link() cannot; and renaming one link of a file onto another does nothing at all.
      await rm(freshLink(taking.written), { force: true })
      await link(taking.written, freshLink(taking.written))
      await rename(freshLink(taking.written), path)
      return
    } finally {
      await rm(claim, { force: true })
    }
  }
}

function freshLink(written: string): string {
  return `${written}-fresh`
}

function alreadyOwned(holder: LockHolder) {
  return conflict(
    `another Toolhaven daemon (process ${holder.pid}) already uses this state folder: stop it first, or let it be`,
  )
}

/** `holder` is missing when the file cannot be understood; its token is then made from what is in it. */
async function readHolder(path: string): Promise<{ token: string; holder?: LockHolder } | undefined> {
  const text = await readPrivateFile(path)
  if (text === undefined) return undefined
  const holder = parseHolder(text)
  if (holder) return { token: holder.token, holder }
  return { token: createHash('sha256').update(text).digest('hex').slice(0, 32) }
}

async function writeNew(path: string, text: string): Promise<void> {
  const handle = await open(
    path,
    constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW,
    0o600,
  )
  try {
    await handle.writeFile(text)
    await handle.sync()
  } finally {
    await handle.close()
  }
}
