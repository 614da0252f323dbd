import { SHARED_MEMORY_BYTES, TEMPORARY_BYTES } from '../default-limits.ts'
import { refuseNul } from '../refuse-nul.ts'
import { SANDBOX_HOME, SANDBOX_UID } from './sandbox-plan.ts'
import type { Bind, SandboxPlan } from './sandbox-plan.ts'

/** The parts of the machine that every bubblewrap sandbox contains: found once by `systemBinds`. */
export interface BubblewrapBase {
  binds: readonly Bind[]
  symlinks: readonly { path: string; target: string }[]
  /** Mounted over the sandbox's own /proc. */
  procBinds: readonly Bind[]
  passwdPath: string
  groupPath: string
  hostsPath: string
  resolverPath: string
  /** Whether this bubblewrap can forbid further user namespaces. */
  disableUserns: boolean
  /** Whether it can limit the size of a folder in memory. */
  limitsSizes: boolean
}

export interface BubblewrapDescriptors {
  info: number
  block: number
  seccomp?: number
}

/** Folders that a server can fill, and their maximum size. */
const IN_MEMORY = [
  ['/tmp', TEMPORARY_BYTES],
  ['/run', TEMPORARY_BYTES],
  ['/home', TEMPORARY_BYTES],
  ['/dev/shm', SHARED_MEMORY_BYTES],
] as const

/** The options of bubblewrap, without the program and its arguments. */
export function bubblewrapOptions(
  plan: SandboxPlan,
  base: BubblewrapBase,
  descriptors: BubblewrapDescriptors,
): string[] {
  const id = String(SANDBOX_UID)
  return [
    ...['--unshare-user', '--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try'],
    ...(plan.network === 'none' ? ['--unshare-net'] : []),
    ...(base.disableUserns ? ['--disable-userns'] : []),
    ...['--die-with-parent', '--new-session', '--cap-drop', 'ALL', '--uid', id, '--gid', id, '--hostname', 'sandbox'],
    ...base.symlinks.flatMap(({ path, target }) => ['--symlink', target, path]),
    ...base.binds
      .filter((bind) => plan.network === 'full' || bind.sandboxPath !== '/etc/resolv.conf')
      .flatMap(bindOption),
    ...['--ro-bind', base.passwdPath, '/etc/passwd', '--ro-bind', base.groupPath, '/etc/group'],
    // The machine's own names reveal its networks.
    ...['--ro-bind', plan.network === 'full' ? '/etc/hosts' : base.hostsPath, '/etc/hosts'],
    ...(typeof plan.network === 'object' && plan.network.hasNames
      ? ['--ro-bind', base.resolverPath, '/etc/resolv.conf']
      : []),
    ...['--proc', '/proc', ...base.procBinds.flatMap(bindOption), '--dev', '/dev'],
    ...IN_MEMORY.flatMap(([path, bytes]) => [...(base.limitsSizes ? ['--size', String(bytes)] : []), '--tmpfs', path]),
    ...['--symlink', '/tmp', '/var/tmp', '--dir', SANDBOX_HOME],
    ...plan.binds.flatMap(bindOption),
    // The empty root and /dev are in memory too, without a size.
    ...['--remount-ro', '/dev'],
    ...['--remount-ro', '/', '--chdir', plan.workDir, '--clearenv'],
    ...Object.entries(plan.env).flatMap(([name, value]) => ['--setenv', name, value]),
    ...['--info-fd', String(descriptors.info), '--block-fd', String(descriptors.block)],
    ...(descriptors.seccomp === undefined ? [] : ['--seccomp', String(descriptors.seccomp)]),
  ]
}

/** The options as bubblewrap reads them from a descriptor: each ends with a NUL, so none may contain one. */
export function encodeOptions(options: readonly string[]): string {
  refuseNul(options)
  return options.map((option) => `${option}\0`).join('')
}

function bindOption({ hostPath, sandboxPath, readOnly }: Bind): string[] {
  return [readOnly ? '--ro-bind' : '--bind', hostPath, sandboxPath]
}
