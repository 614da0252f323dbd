import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rmdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Limits, RuntimeCapabilities } from '@toolhaven/core/ports/runtime'

/** Limits servers as a whole, together with everything they start. */
export interface ControlGroups {
  /** Why not, for the limits that cannot be set. */
  unenforced: RuntimeCapabilities['unenforced']
  /** Creates a group with the limits that can be set. */
  make(limits: Limits): Promise<ControlGroup>
}

export interface ControlGroup {
  /** The command and environment that start a sandbox inside the group, if it gets there that way. */
  launcher?: Launcher
  /** Called with the sandbox's first process before the server runs. */
  add(pid: number): Promise<void>
  wasOutOfMemory(): Promise<boolean>
  remove(): Promise<void>
}

export interface Launcher {
  words: readonly [string, ...string[]]
  env: Readonly<Record<string, string>>
}

interface Controller {
  version: 1 | 2
  parent: string
}

const CONTROLLERS = { memoryBytes: 'memory', cpus: 'cpu', pids: 'pids' } as const satisfies Record<keyof Limits, string>
const LIMIT_NAMES = { memoryBytes: 'Memory', cpus: 'CPU', pids: 'Process' } as const satisfies Record<
  keyof Limits,
  string
>

/**
 * Finds control groups in which we may create children. A group that another manager (systemd, a container engine) put
 * us into belongs to that manager, not to us (https://systemd.io/CGROUP_DELEGATION). So only the root is used or, on
 * version 2, a group whose controllers were delegated to its children.
 */
export async function findControlGroups(root: string, ownGroups: string): Promise<ControlGroups> {
  const usable: Partial<Record<keyof Limits, Controller>> = {}
  const unenforced: Partial<Record<keyof Limits, string>> = {}
  const lines = ownGroups
    .trim()
    .split('\n')
    .map((line) => line.split(':'))
  const unified = lines.find(([id]) => id === '0')?.[2] ?? '/'
  const handedDown = (await readFile(join(root, unified, 'cgroup.subtree_control'), 'utf8').catch(() => ''))
    .trim()
    .split(' ')
  for (const limit of ['memoryBytes', 'cpus', 'pids'] as const) {
    const name = CONTROLLERS[limit]
    const own = lines.find(([, controllers]) => controllers?.split(',').includes(name))?.[2]
    if (handedDown.includes(name) && (await isUsable(join(root, unified))))
      usable[limit] = { version: 2, parent: join(root, unified) }
    else if (own === '/' && (await isUsable(join(root, name)))) usable[limit] = { version: 1, parent: join(root, name) }
    else
      unenforced[limit] =
        `${LIMIT_NAMES[limit]} limits are not in force: the daemon may not make ${name} control groups here.`
  }
  for (const { parent } of Object.values(usable)) await removeLost(parent)
  return { unenforced, make: (limits) => makeControlGroup(usable, limits) }
}

async function isUsable(parent: string): Promise<boolean> {
  const trial = join(parent, groupName())
  try {
    await mkdir(trial)
    await rmdir(trial)
    return true
  } catch {
    // Read-only, not ours, or absent: it cannot be used, and the caller says so.
    return false
  }
}

async function makeControlGroup(
  usable: Partial<Record<keyof Limits, Controller>>,
  limits: Limits,
): Promise<ControlGroup> {
  const name = groupName()
  const folders = new Set<string>()
  for (const limit of ['memoryBytes', 'cpus', 'pids'] as const) {
    const controller = usable[limit]
    const value = limits[limit]
    if (controller === undefined || value === undefined) continue
    const folder = join(controller.parent, name)
    folders.add(folder)
    await mkdir(folder, { recursive: true })
    for (const [file, text] of Object.entries(VALUES[limit](controller.version, value)))
      if (file !== MEMORY_AND_SWAP || existsSync(join(controller.parent, file)))
        await writeFile(join(folder, file), text)
  }
  const { memoryBytes: memory } = usable
  return {
    add: async (pid) => {
      for (const folder of folders) await writeFile(join(folder, 'cgroup.procs'), String(pid))
    },
    wasOutOfMemory: async () => {
      if (memory === undefined || limits.memoryBytes === undefined) return false
      const file = memory.version === 2 ? 'memory.events' : 'memory.oom_control'
      return hadOutOfMemory(join(memory.parent, name, file))
    },
    remove: async () => {
      for (const folder of folders) await removeWhenEmpty(folder)
    },
  }
}

/** Whether the kernel killed a process of a group because memory ran out. */
export async function hadOutOfMemory(eventsFile: string): Promise<boolean> {
  return /^oom_kill [1-9]/m.test(await readFile(eventsFile, 'utf8').catch(() => ''))
}

export const CPU_PERIOD_US = 100_000

/** Exists only where the kernel counts swap. */
const MEMORY_AND_SWAP = 'memory.memsw.limit_in_bytes'

const VALUES = {
  memoryBytes: (version, bytes) =>
    version === 2
      ? { 'memory.max': String(bytes), 'memory.swap.max': '0' }
      : // In this order: the kernel accepts no limit for both that is below the one for memory.
        { 'memory.limit_in_bytes': String(bytes), [MEMORY_AND_SWAP]: String(bytes) },
  cpus: (version, cpus) => {
    const quota = Math.max(1000, Math.round(cpus * CPU_PERIOD_US))
    return version === 2
      ? { 'cpu.max': `${quota} ${CPU_PERIOD_US}` }
      : { 'cpu.cfs_period_us': String(CPU_PERIOD_US), 'cpu.cfs_quota_us': String(quota) }
  },
  pids: (_version, pids) => ({ 'pids.max': String(pids) }),
} as const satisfies Record<keyof Limits, (version: 1 | 2, value: number) => Record<string, string>>

const REMOVE_ATTEMPTS = 40

/** The kernel keeps a group busy until the last of its processes is fully gone, shortly after its end is reported. */
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

/** Contains the daemon's process number, so that the next daemon can recognize what a killed one left behind. */
function groupName(): string {
  return `toolhaven-${process.pid}-${randomBytes(6).toString('hex')}`
}

async function removeLost(parent: string): Promise<void> {
  for (const name of await readdir(parent).catch(() => [])) {
    const [, pid] = /^toolhaven-(\d+)-[0-9a-f]{12}$/.exec(name) ?? []
    if (pid === undefined || existsSync(`/proc/${pid}`)) continue
    // Fails for a group that still has processes, which then stays.
    await rmdir(join(parent, name)).catch(() => undefined)
  }
}
