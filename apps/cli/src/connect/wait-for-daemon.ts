import { setTimeout as delay } from 'node:timers/promises'
import { type LockHolder, readLock } from '@toolhaven/stores/files/lock-file'
import { createDaemonClient } from './daemon-client.ts'

/** How long a daemon on a busy machine may take from its lock to its first answer. */
export const COMING_UP_MS = 60_000
const PAUSE_MS = 50

/** The daemon that owns the state folder, as soon as it answers. Undefined if no daemon owns the folder. */
export async function answeringDaemon(stateDir: string, signal: AbortSignal): Promise<LockHolder | undefined> {
  for (;;) {
    const lock = await readLock(stateDir)
    if (!lock?.alive) return undefined
    if (await answers(lock.holder.socketPath)) return lock.holder
    await delay(PAUSE_MS, undefined, { signal })
  }
}

async function answers(socketPath: string): Promise<boolean> {
  try {
    await createDaemonClient({ socketPath }).call('getVersion', {}, AbortSignal.timeout(1_000))
    return true
  } catch {
    return false // not yet
  }
}
