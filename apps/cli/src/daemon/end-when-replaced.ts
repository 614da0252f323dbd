import { setTimeout as pause } from 'node:timers/promises'
import type { InstanceLock } from '@toolhaven/stores/files/instance-lock'
import { lockState } from './state-loss.ts'

/** How often the lock is looked at. */
const LOOK_MS = 3_000
/** A folder that is not there for a moment is no reason to end. */
const AGAIN_MS = 500

/**
 * Looks whether the state folder is still this daemon's. If it was removed or another daemon has it, no command reaches this
 * daemon any more, and nobody could end it.
 */
export function endWhenReplaced(lock: InstanceLock, end: (why: 'taken' | 'gone') => void): Disposable {
  const look = async () => {
    const state = await lockState(lock)
    if (state === 'held') return
    await pause(AGAIN_MS)
    if ((await lockState(lock)) !== state) return
    clearInterval(timer)
    end(state)
  }
  const timer = setInterval(() => void look(), LOOK_MS).unref()
  return { [Symbol.dispose]: () => clearInterval(timer) }
}
