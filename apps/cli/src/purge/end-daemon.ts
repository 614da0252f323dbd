import { setTimeout as delay } from 'node:timers/promises'
import { unavailable } from '@toolhaven/core/errors'
import { readLock } from '@toolhaven/stores/files/lock-file'
import { takeOver } from '../daemon/take-over.ts'

const PATIENCE_MS = 30_000

/** Stops the daemon of a state folder, if one runs, and waits until its process is gone. */
export async function endDaemon(stateDir: string): Promise<void> {
  const found = await readLock(stateDir)
  if (!found?.alive) return
  const { pid } = found.holder
  await takeOver(
    stateDir,
    async () => {},
    () => {},
  )
  const deadline = Date.now() + PATIENCE_MS
  // The daemon releases its lock shortly before it writes its last file.
  while (isThere(pid)) {
    if (Date.now() > deadline) throw unavailable(`the daemon (process ${pid}) did not stop. Stop it, then try again.`)
    await delay(20)
  }
}

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
