import type { InstanceLock, LockState } from '@toolhaven/stores/files/instance-lock'

/** How often the lock is looked at. */
const LOOK_MS = 3_000

/**
 * Looks whether the state folder is still this daemon's. If it was removed or another daemon has it, no command reaches this
 * daemon any more, and nobody could end it.
 */
export function endWhenReplaced(lock: InstanceLock, end: (why: 'taken' | 'gone') => void): Disposable {
  let before: LockState = 'held'
  const look = async () => {
    // A folder that cannot be read, or is not there for a moment, is no reason to end.
    const state = await lock.state().catch(() => 'held' as const)
    const isSure = state === before
    before = state
    if (state === 'held' || !isSure) return
    clearInterval(timer)
    end(state)
  }
  const timer = setInterval(() => void look(), LOOK_MS).unref()
  return { [Symbol.dispose]: () => clearInterval(timer) }
}
