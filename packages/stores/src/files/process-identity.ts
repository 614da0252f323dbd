import { readFileSync, readlinkSync } from 'node:fs'
import { errnoOf } from './errno.ts'

/**
 * When a process started, as a text that differs for every process that ever has the same id; undefined when there
 * is no such process (a zombie counts as gone: it holds nothing).
 */
export async function processStart(
  pid: number,
  platform: NodeJS.Platform = process.platform,
): Promise<string | undefined> {
  return platform === 'linux' ? linuxStart(pid) : psStart(pid)
}

/** Process ids mean something only inside one PID namespace; undefined where there are none. */
export async function pidNamespace(): Promise<string | undefined> {
  try {
    return readlinkSync('/proc/self/ns/pid')
  } catch {
    return undefined // not Linux, or no /proc: then there is one namespace for all we can see
  }
}

/** The kernel answers from memory: nothing to wait for. */
function linuxStart(pid: number): string | undefined {
  let stat
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  } catch (error) {
    if (errnoOf(error) === 'ENOENT' || errnoOf(error) === 'ESRCH') return undefined
    throw error
  }
  // proc_pid_stat(5): the second field is the program's name in brackets and may hold anything, brackets included.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const state = fields[0]
  const ticks = fields[19]
  if (state === 'Z' || state === 'X' || ticks === undefined) return undefined
  // Ticks count from the boot, so two boots can give one and the same number.
  const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8')
  return `${boot.trim()}:${ticks}`
}

async function psStart(pid: number): Promise<string | undefined> {
  const [{ execFile }, { promisify }] = await Promise.all([import('node:child_process'), import('node:util')])
  try {
    const { stdout } = await promisify(execFile)('ps', ['-o', 'state=,lstart=', '-p', String(pid)], {
      env: { LC_ALL: 'C', TZ: 'UTC', PATH: '/bin:/usr/bin' },
    })
    const [state, ...start] = stdout.trim().split(/\s+/)
    return state === undefined || state.startsWith('Z') ? undefined : start.join(' ') || undefined
  } catch {
    return undefined // ps ends with 1 when there is no such process
  }
}
