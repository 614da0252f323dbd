import { randomBytes } from 'node:crypto'
import { mkdir, readFile, rmdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Limits } from '@toolhaven/core/ports/runtime'

/** Where limits can be set; undefined members cannot. */
export interface ControlGroups {
  memory?: Controller
  cpu?: Controller
  pids?: Controller
  /** Why not, for those that cannot. */
  reasons: string[]
}

interface Controller {
  version: 1 | 2
  parent: string
}

export interface ControlGroup {
  add(pid: number): Promise<void>
  wasOutOfMemory(): Promise<boolean>
  remove(): Promise<void>
}

/**
 * Looks for control groups we may make children in. A group that another manager (systemd, a container engine) put us
 * into is its to divide, not ours (https://systemd.io/CGROUP_DELEGATION): only the root, or on version 2 a group whose
 * controllers were handed down to its children, is used.
 */
export async function findControlGroups(root: string, ownGroups: string): Promise<ControlGroups> {
  const found: ControlGroups = { reasons: [] }
  const lines = ownGroups
    .trim()
    .split('\n')
    .map((line) => line.split(':'))
  const unified = lines.find(([id]) => id === '0')?.[2] ?? '/'
  const handedDown = (await readFile(join(root, unified, 'cgroup.subtree_control'), 'utf8').catch(() => ''))
    .trim()
    .split(' ')
  for (const name of ['memory', 'cpu', 'pids'] as const) {
    const own = lines.find(([, controllers]) => controllers?.split(',').includes(name))?.[2]
    if (handedDown.includes(name) && (await isUsable(join(root, unified))))
      found[name] = { version: 2, parent: join(root, unified) }
    else if (own === '/' && (await isUsable(join(root, name)))) found[name] = { version: 1, parent: join(root, name) }
    else
      found.reasons.push(
        `${LIMIT_NAMES[name]} limits are not in force: the daemon may not make ${name} control groups here.`,
      )
  }
  return found
}

const LIMIT_NAMES = { memory: 'Memory', cpu: 'CPU', pids: 'Process count (pids)' } as const

async function isUsable(parent: string): Promise<boolean> {
  const trial = join(parent, groupName())
  try {
    await mkdir(trial)
    await rmdir(trial)
    return true
  } catch {
    // Read-only, not ours, or not there: cannot be used, and the caller says so.
    return false
  }
}

/** Makes a group with the limits that can be set; the others were told of by `reasons`. */
export async function createControlGroup(groups: ControlGroups, limits: Limits): Promise<ControlGroup> {
  const name = groupName()
  const folders = new Set<string>()
  const set = async ({ parent }: Controller, values: Readonly<Record<string, string>>) => {
    const folder = join(parent, name)
    folders.add(folder)
    await mkdir(folder, { recursive: true })
    for (const [file, value] of Object.entries(values)) await writeFile(join(folder, file), value)
  }
  const { memoryBytes, cpus, pids } = limits
  if (groups.memory && memoryBytes !== undefined)
    await set(groups.memory, memoryValues(groups.memory.version, memoryBytes))
  if (groups.cpu && cpus !== undefined) await set(groups.cpu, cpuValues(groups.cpu.version, cpus))
  if (groups.pids && pids !== undefined) await set(groups.pids, { 'pids.max': String(pids) })
  return {
    add: async (pid) => {
      for (const folder of folders) await writeFile(join(folder, 'cgroup.procs'), String(pid))
    },
    wasOutOfMemory: async () => {
      if (!groups.memory || memoryBytes === undefined) return false
      const file = groups.memory.version === 2 ? 'memory.events' : 'memory.oom_control'
      return /^oom_kill [1-9]/m.test(await readFile(join(groups.memory.parent, name, file), 'utf8').catch(() => ''))
    },
    remove: async () => {
      for (const folder of folders) await removeWhenEmpty(folder)
    },
  }
}

const CPU_PERIOD_US = 100_000

function memoryValues(version: 1 | 2, bytes: number): Record<string, string> {
  return version === 2
    ? { 'memory.max': String(bytes), 'memory.swap.max': '0' }
    : { 'memory.limit_in_bytes': String(bytes) }
}

function cpuValues(version: 1 | 2, cpus: number): Record<string, string> {
  const quota = Math.max(1000, Math.round(cpus * CPU_PERIOD_US))
  return version === 2
    ? { 'cpu.max': `${quota} ${CPU_PERIOD_US}` }
    : { 'cpu.cfs_period_us': String(CPU_PERIOD_US), 'cpu.cfs_quota_us': String(quota) }
}

const REMOVE_ATTEMPTS = 40

/** The kernel keeps a group busy until the last of its processes is fully gone, shortly after we hear of its end. */
async function removeWhenEmpty(folder: string): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await rmdir(folder)
      return
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : undefined
      if (code === 'ENOENT') return
      if (code !== 'EBUSY' || attempt === REMOVE_ATTEMPTS) throw error
      await new Promise((resolve) => setTimeout(resolve, 25))
    }
  }
}

function groupName(): string {
  return `toolhaven-${randomBytes(6).toString('hex')}`
}
