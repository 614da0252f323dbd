import { cpus } from 'node:os'

interface Ticks {
  busy: number
  all: number
}

/** Watches all cores, not only those of the tests: container engines run outside the tests' process tree. */
export function watchCores(): () => number {
  const before = ticks()
  return () => {
    const now = ticks()
    return now.all === before.all ? 0 : (now.busy - before.busy) / (now.all - before.all)
  }
}

function ticks(): Ticks {
  const sum = { busy: 0, all: 0 }
  for (const { times } of cpus()) {
    const working = times.user + times.nice + times.sys + times.irq
    sum.busy += working
    sum.all += working + times.idle
  }
  return sum
}
