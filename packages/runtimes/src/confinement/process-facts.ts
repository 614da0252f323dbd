import { readFile, readlink } from 'node:fs/promises'
import { join } from 'node:path'
import type { Confinement } from '@toolhaven/core/ports/runtime'
import { capabilityNames } from './capability-names.ts'

export interface FactPlaces {
  proc: string
  cgroups: string
}

const PLACES: FactPlaces = { proc: '/proc', cgroups: '/sys/fs/cgroup' }

/** What the kernel says about a process of this machine. Undefined when the process cannot be seen. */
export async function processFacts(
  pid: number,
  places: FactPlaces = PLACES,
): Promise<Omit<Confinement, 'mounts' | 'privileged'> | undefined> {
  const own = join(places.proc, String(pid))
  const status = await text(join(own, 'status'))
  if (status === undefined) return undefined
  const field = (name: string) => new RegExp(`^${name}:\\s*(\\S+)`, 'm').exec(status)?.[1] ?? ''
  const outside = field('Uid')
  const inside = insideUser(await text(join(own, 'uid_map')), outside)
  return {
    seen_by: 'kernel',
    user: inside,
    ...(inside !== outside && { outside_user: outside }),
    capabilities: capabilityNames(field('CapEff')),
    no_new_privileges: field('NoNewPrivs') === '1',
    system_call_filter: field('Seccomp') === '2',
    ...(await fileFacts(own, places)),
    network: await networkOf(own, places),
    ...withProcessLimits(await limitsOf(own, places), {
      limits: (await text(join(own, 'limits'))) ?? '',
      // The kernel never limits root. It counts all processes of a user who has no user namespace of their own.
      countsProcesses: outside !== '0' && (await hasOwnUsers(own, places)),
    }),
  }
}

/** The first child of a sandbox's own first process: the server. */
export async function serverProcess(first: number, places: FactPlaces = PLACES): Promise<number> {
  const children = await text(join(places.proc, String(first), 'task', String(first), 'children'))
  const child = Number(children?.trim().split(' ')[0])
  return child > 0 ? child : first
}

/** Lines are "inside outside count". */
function insideUser(map: string | undefined, outside: string): string {
  for (const line of (map ?? '').trim().split('\n')) {
    const [inside = 0, from = 0, count = 0] = line.trim().split(/\s+/).map(Number)
    const offset = Number(outside) - from
    if (offset >= 0 && offset < count) return String(inside + offset)
  }
  return outside
}

async function fileFacts(
  own: string,
  { proc }: FactPlaces,
): Promise<Pick<Confinement, 'own_files' | 'read_only_root'>> {
  const root = rootMount(await text(join(own, 'mountinfo')))
  const machine = rootMount(await text(join(proc, 'self', 'mountinfo')))
  return { own_files: root !== undefined && root.device !== machine?.device, read_only_root: root?.isReadOnly ?? false }
}

/** "id parent major:minor root target options …" */
function rootMount(mounts: string | undefined): { device: string; isReadOnly: boolean } | undefined {
  const line = mounts?.split('\n').find((each) => each.split(' ')[4] === '/')
  const [, , device = '', root = '', , options = ''] = line?.split(' ') ?? []
  return line === undefined ? undefined : { device: `${device} ${root}`, isReadOnly: options.split(',').includes('ro') }
}

async function networkOf(own: string, { proc }: FactPlaces): Promise<Confinement['network']> {
  const [theirs, ours] = await Promise.all([link(join(own, 'ns', 'net')), link(join(proc, 'self', 'ns', 'net'))])
  // What cannot be told apart counts as the weaker form.
  if (theirs === undefined || theirs === ours) return 'host'
  const devices = (await text(join(own, 'net', 'dev'))) ?? ''
  const names = [...devices.matchAll(/^\s*([^:\s|]+):/gm)].map(([, name]) => name)
  return names.every((name) => name === 'lo') ? 'none' : 'own'
}

async function hasOwnUsers(own: string, { proc }: FactPlaces): Promise<boolean> {
  const [theirs, ours] = await Promise.all([link(join(own, 'ns', 'user')), link(join(proc, 'self', 'ns', 'user'))])
  return theirs !== undefined && theirs !== ours
}

type LimitFacts = Pick<Confinement, 'memory_bytes' | 'pids' | 'cpus' | 'open_files'>

/** Adds the limits that work without control groups. */
function withProcessLimits(
  groups: LimitFacts,
  { limits, countsProcesses }: { limits: string; countsProcesses: boolean },
): LimitFacts {
  const hard = (name: string) => Number(new RegExp(`^${name} +\\S+ +(\\d+)`, 'm').exec(limits)?.[1] ?? Infinity)
  const pids = Math.min(groups.pids ?? Infinity, countsProcesses ? hard('Max processes') : Infinity)
  const files = hard('Max open files')
  return { ...groups, ...(pids < Infinity && { pids }), ...(files < Infinity && { open_files: files }) }
}

async function limitsOf(own: string, { cgroups }: FactPlaces): Promise<LimitFacts> {
  const groups = (await text(join(own, 'cgroup'))) ?? ''
  const pathOf = (controller: string) => {
    const old = new RegExp(`^\\d+:(?:[^:]*,)?${controller}(?:,[^:]*)?:(.*)$`, 'm').exec(groups)?.[1]
    const unified = /^0::(.*)$/m.exec(groups)?.[1]
    return old === undefined ? join(cgroups, unified ?? '') : join(cgroups, controller, old)
  }
  const first = async (...files: string[]) => {
    for (const file of files) {
      const found = await text(file)
      if (found !== undefined) return found.trim()
    }
    return ''
  }
  const memory = Number(
    await first(join(pathOf('memory'), 'memory.max'), join(pathOf('memory'), 'memory.limit_in_bytes')),
  )
  const pids = Number(await first(join(pathOf('pids'), 'pids.max')))
  const [quota, period = '100000'] = (
    await first(join(pathOf('cpu'), 'cpu.max'), join(pathOf('cpu'), 'cpu.cfs_quota_us'))
  ).split(' ')
  const cpus = Number(quota || 'none') / Number(period)
  // "max" is not a number, and the old interface writes a huge one for it.
  return {
    ...(memory > 0 && memory < 2 ** 60 && { memory_bytes: memory }),
    ...(pids > 0 && { pids }),
    ...(cpus > 0 && { cpus }),
  }
}

async function text(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch(() => undefined) // gone, or not visible to us
}

async function link(path: string): Promise<string | undefined> {
  return readlink(path).catch(() => undefined)
}
