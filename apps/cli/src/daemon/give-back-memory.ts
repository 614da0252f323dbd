import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

export interface GiveBackOptions {
  everyMs: number
  /** How long the daemon must be quiet. */
  restMs: number
  /** Processor time used so far, in milliseconds. */
  usedMs: () => number
  collect: () => void
}

/** Shares of a processor that count as work, and as rest after it. */
const BUSY = 0.05
const QUIET = 0.02

/**
 * The engine keeps room for the garbage of its busiest moment, and a daemon is idle for hours: after work, once it has been
 * quiet for a while, the room is given back. Not at the first pause: without that room the next calls cost twice as much, and
 * an AI client thinks for some seconds between one call and the next.
 */
export function giveBackMemory(options: Partial<GiveBackOptions> = {}): Disposable {
  const { everyMs = 2_000, restMs = 30_000, usedMs = usedByThisProcess, collect = collectAll } = options
  let before = usedMs()
  let hasWorked = true
  let quietMs = 0
  const timer = setInterval(() => {
    const share = (usedMs() - before) / everyMs
    hasWorked ||= share > BUSY
    quietMs = share < QUIET ? quietMs + everyMs : 0
    if (hasWorked && quietMs >= restMs) {
      hasWorked = false
      collect()
    }
    before = usedMs()
  }, everyMs)
  timer.unref()
  return { [Symbol.dispose]: () => clearInterval(timer) }
}

function usedByThisProcess(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

/** Only a flag gives access to the function; no other code gets to see it. */
function collectAll(): void {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc({ type: "major", execution: "sync", flavor: "last-resort" })')
  setFlagsFromString('--no-expose-gc')
}
