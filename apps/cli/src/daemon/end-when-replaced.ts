import { setTimeout as pause } from 'node:timers/promises'
import type { InstanceLock } from '@toolhaven/stores/files/instance-lock'
import { lockState } from './state-loss.ts'

/** How often the lock is checked. */
const LOOK_MS = 3_000
/** The folder may be missing for a moment. The daemon then keeps running. */
const AGAIN_MS = 500

/**
 * Checks that this daemon still owns its state folder. If not, no command can reach the daemon or stop it.
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
