import { readdirSync, readFileSync, writeFileSync } from 'node:fs'

const HIGHEST = 1000

/**
 * A number by which the processes of a stage are known. They inherit it from one another through `oom_score_adj`, also when they
 * clear their environment and leave their folder. Undefined where the machine has no such thing.
 */
export function chooseMark(): number | undefined {
  const own = scoreOf('self')
  if (own === undefined) return undefined
  // Only root may lower the score, so the mark is above our own.
  const taken = new Set(processIds().map(scoreOf))
  const free = Array.from({ length: HIGHEST - own }, (_, index) => own + 1 + index).filter((score) => !taken.has(score))
  return free[Math.floor(Math.random() * free.length)]
}

export function markProcess(pid: number, mark: number): void {
  try {
    writeFileSync(`/proc/${pid}/oom_score_adj`, String(mark))
  } catch {
    // It has ended, or this machine does not allow it. What mentions the temporary folder is found all the same.
  }
}

export function hasMark(pid: number, mark: number | undefined): boolean {
  return mark !== undefined && scoreOf(pid) === mark
}

export function processIds(): number[] {
  return process.platform === 'linux' ? readdirSync('/proc').map(Number).filter(Number.isInteger) : []
}

function scoreOf(pid: number | 'self'): number | undefined {
  try {
    return Number(readFileSync(`/proc/${pid}/oom_score_adj`, 'utf8'))
  } catch {
    return undefined // As above.
  }
}
