import { setTimeout as delay } from 'node:timers/promises'
import { unavailable } from '@toolhaven/core/errors'
import { readLock } from '@toolhaven/stores/files/lock-file'
import { pidNamespace } from '@toolhaven/stores/files/process-identity'

const PATIENCE_MS = 30_000

/** Asks the daemon of the same state folder to end, which leaves its containers running. */
export async function takeOver(
  stateDir: string,
  /** Throws if this daemon could not take over. Nothing is done then. */
  checkBefore: (oldPid: number) => Promise<void>,
  say: (line: string) => void,
): Promise<void> {
  const found = await readLock(stateDir)
  if (!found?.alive) return
  const { pid, token, pidNamespace: namespace } = found.holder
  if (namespace !== undefined && namespace !== (await pidNamespace()))
    throw unavailable(
      `the daemon that owns ${stateDir} runs in another container, so it cannot be asked to end from here; stop it there`,
    )
  if (pid === process.pid) return
  await checkBefore(pid)
  say(`Taking over from the daemon with process id ${pid}`)
  try {
    process.kill(pid, 'SIGTERM')
  } catch (cause) {
    throw unavailable(
      `a daemon (process ${pid}) owns this state folder and cannot be asked to end; stop it first`,
      cause,
    )
  }
  wakeUp(pid)
  const deadline = Date.now() + PATIENCE_MS
  while (Date.now() < deadline) {
    const now = await readLock(stateDir)
    if (!now?.alive || now.holder.token !== token) return
    await delay(50)
  }
  throw unavailable(`the daemon with process id ${pid} did not hand over within ${PATIENCE_MS / 1000} s; stop it first`)
}

/** A suspended daemon receives the signal to end only after this. A daemon that has already ended does not need it. */
function wakeUp(pid: number): void {
  try {
    process.kill(pid, 'SIGCONT')
  } catch {
    // Whether it has ended is looked at next.
  }
}
