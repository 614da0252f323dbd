import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'

const TICKS_PER_SECOND = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }))

/**
 * Processor time that a process has used so far, including its threads. Unlike wall time it hardly depends on how busy
 * the machine is.
 */
export function cpuMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  // The name in parentheses may contain anything, so fields are counted from its end.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return ((Number(fields[11]) + Number(fields[12])) * 1000) / TICKS_PER_SECOND
}

/** Processor time of all children of this process that have ended and were waited for. */
export function endedChildrenCpuMs(): number {
  const stat = readFileSync('/proc/self/stat', 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return ((Number(fields[13]) + Number(fields[14])) * 1000) / TICKS_PER_SECOND
}

export function residentMb(pid: number): number {
  const match = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))
  return Number(match?.[1]) / 1024
}

/** The daemon gives memory back when it has been quiet for half a minute. */
const SETTLE_SECONDS = 35

/** The smallest value seen while the process has nothing to do. */
export function settledResidentMb(pid: number): Promise<number> {
  return least(() => residentMb(pid))
}

/** The same for a process and all that it started; what several share counts once. */
export function settledTreeMb(pid: number): Promise<number> {
  return least(() => treeMb(pid))
}

async function least(measure: () => number): Promise<number> {
  let seen = measure()
  for (let step = 0; step < SETTLE_SECONDS * 4; step++) {
    await delay(250)
    seen = Math.min(seen, measure())
  }
  return seen
}

function treeMb(pid: number): number {
  const own = /^Pss:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1]
  return Number(own ?? 0) / 1024 + childrenOf(pid).reduce((sum, child) => sum + treeMb(child), 0)
}

export function childrenOf(pid: number): number[] {
  return readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
    readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number),
  )
}
