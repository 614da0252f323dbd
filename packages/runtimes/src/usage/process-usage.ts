import { existsSync } from 'node:fs'
import { readFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Usage } from '@toolhaven/core/ports/runtime'

/** The kernel counts times in hundredths of a second on every architecture (USER_HZ, man 7 time). */
const MS_PER_TICK = 10

/** What a process and everything it started use, as the kernel counts it. Undefined when the process is gone. */
export async function processUsage(first: number, proc = '/proc'): Promise<Usage | undefined> {
  if (!existsSync(join(proc, 'self'))) return { notMeasured: 'this system does not report what a process uses' }
  const seen = (await Promise.all((await familyOf(first, proc)).map((pid) => usageOf(pid, proc)))).filter(
    (each) => each !== undefined,
  )
  if (seen.length === 0) return undefined
  const sum = (of: (each: OneProcess) => number) => seen.reduce((total, each) => total + of(each), 0)
  return {
    cpuMs: sum(({ cpuMs }) => cpuMs),
    memoryBytes: sum(({ memoryBytes }) => memoryBytes),
    pids: sum(({ threads }) => threads),
  }
}

interface OneProcess {
  cpuMs: number
  memoryBytes: number
  threads: number
}

async function usageOf(pid: number, proc: string): Promise<OneProcess | undefined> {
  try {
    const own = join(proc, String(pid))
    const [stat, status] = await Promise.all([
      readFile(join(own, 'stat'), 'utf8'),
      readFile(join(own, 'status'), 'utf8'),
    ])
    // Its name comes first, in parentheses, and may contain anything. Among the rest are the times of the process
    // itself and of the children that it has waited for.
    const times = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .slice(11, 15)
      .map(Number)
    const number = (name: string) => Number(new RegExp(`^${name}:\\s*(\\d+)`, 'm').exec(status)?.[1] ?? 0)
    return {
      cpuMs: times.reduce((total, time) => total + time, 0) * MS_PER_TICK,
      memoryBytes: number('VmRSS') * 1024,
      threads: number('Threads'),
    }
  } catch {
    // It ended in the meantime.
    return undefined
  }
}

async function familyOf(pid: number, proc: string): Promise<number[]> {
  const children = await childrenOf(pid, proc)
  const families = await Promise.all(children.map((child) => familyOf(child, proc)))
  return [pid, ...families.flat()]
}

/** Each thread has children of its own. */
async function childrenOf(pid: number, proc: string): Promise<number[]> {
  const tasks = join(proc, String(pid), 'task')
  const threads = await readdir(tasks).catch(() => [])
  const lists = await Promise.all(
    threads.map((thread) => readFile(join(tasks, thread, 'children'), 'utf8').catch(() => '')),
  )
  return lists.flatMap((list) => list.trim().split(' ').filter(Boolean).map(Number))
}
