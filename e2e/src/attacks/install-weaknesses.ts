import type { PlatformKind } from '../platform.ts'
import type { Weakness } from './build.ts'

const RUN = 'packages/runtimes/src/process/run-step.ts'
const STEP = 'packages/runtimes/src/packages/run-step.ts'
const BODY = 'packages/runtimes/src/engine/container-body.ts'

const MORE_PROCESSES: Weakness = {
  file: 'packages/runtimes/src/install-rules.ts',
  find: 'pids: 512',
  replace: 'pids: 5000',
}

/** One file of the container's own instead of one in memory. */
const KEPT_CONFIG: readonly Weakness[] = [
  {
    file: 'packages/runtimes/src/packages/template.ts',
    find: "CONFIG_FOLDER = '/build/config'",
    replace: "CONFIG_FOLDER = '/build'",
  },
  { file: STEP, find: '...(run.input && { inMemory })', replace: '' },
]

/** One that stays while scripts run. */
const KEPT_NPMRC: Weakness = {
  file: 'packages/runtimes/src/process/npx-package.ts',
  find: 'for (const file of Object.values(configs)) await rm(file)',
  replace: '',
}

/** An id that is a person's on many machines. */
const PERSON: readonly Weakness[] = [
  { file: STEP, find: 'readOnlyRoot: false, user,', replace: "readOnlyRoot: false, user: '1000:1000'," },
  { file: STEP, find: "Number(packageUser.split(':')[0])", replace: '1000' },
]

/** What holds tokens is kept, and is a person's. */
export const KEPT_TOKENS: Record<PlatformKind, readonly Weakness[]> = {
  process: [KEPT_NPMRC],
  docker: [...KEPT_CONFIG, ...PERSON],
  podman: KEPT_CONFIG,
}

const ENGINE: readonly Weakness[] = [
  MORE_PROCESSES,
  ...KEPT_CONFIG,
  // The network that containers of an engine share.
  { file: STEP, find: "network?.way ?? 'none'", replace: "'host'" },
  {
    file: 'packages/runtimes/src/engine/container-network.ts',
    find: "HOST_NETWORK: ContainerNetwork = { mode: 'host',",
    replace: "HOST_NETWORK: ContainerNetwork = { mode: 'bridge',",
  },
  {
    file: STEP,
    find: 'mounts: [],',
    replace: 'mounts: [{ hostPath: process.env.HOME, containerPath: process.env.HOME, readOnly: true }],',
  },
  { file: STEP, find: 'readOnlyRoot: false, user,', replace: "readOnlyRoot: false, user: '0:0'," },
  { file: STEP, find: "Number(packageUser.split(':')[0])", replace: '0' },
  { file: BODY, find: "CapDrop: ['ALL'],", replace: '' },
  // pip can start programs, and builds what is not a wheel.
  { file: 'packages/runtimes/src/packages/uvx-template.ts', find: 'sys.addaudithook(refuse)\n', replace: '' },
]

/** The network of the machine, its files, what the fetch left, and no limit. */
export const OPEN_INSTALL: Record<PlatformKind, readonly Weakness[]> = {
  process: [
    MORE_PROCESSES,
    KEPT_NPMRC,
    {
      file: 'packages/runtimes/src/process/uvx-package.ts',
      find: 'if (access.hasCredentials) throw buildRefused(requirement)',
      replace: '',
    },
    { file: RUN, find: 'if (!sandbox.isolatesNetwork) return', replace: 'if (sandbox) return' },
    { file: RUN, find: '  await mkdir(folder, { mode: 0o700 })\n  return folder', replace: '  return scratch' },
    {
      file: RUN,
      find: 'binds: layout.binds,',
      replace: 'binds: [...layout.binds, { hostPath: tools.homeDir, sandboxPath: tools.homeDir, readOnly: true }],',
    },
  ],
  docker: ENGINE,
  podman: ENGINE,
}

/** Of the server itself: its network, the files of the machine, and the filter of system calls. */
const OPEN_WALLS: readonly Weakness[] = [
  {
    file: 'packages/core/src/workloads/config/network.ts',
    find: "if (mode === 'host') return 'host'",
    replace: "if (mode) return 'host'",
  },
  {
    file: 'packages/core/src/workloads/running/instance-spec.ts',
    find: '    mounts,\n    network,\n    stdio',
    replace:
      '    mounts: [...mounts, { hostPath: process.env.HOME, containerPath: process.env.HOME, readOnly: true }],\n    network,\n    stdio',
  },
  {
    file: 'packages/runtimes/src/process/seccomp.ts',
    find: '    load(ARCHITECTURE),\n    ifEqual(auditArch',
    replace: '    give(ALLOW),\n    load(ARCHITECTURE),\n    ifEqual(auditArch',
  },
  {
    file: 'packages/runtimes/src/default-limits.ts',
    find: 'export const DEFAULT_PIDS = 512',
    replace: 'export const DEFAULT_PIDS = 5000',
  },
]

/** The user of a server is root. */
const ROOT_USER: Weakness = {
  file: 'packages/runtimes/src/engine/package-user.ts',
  find: 'export const UNUSED_ID = 2_000_000_000',
  replace: 'export const UNUSED_ID = 0',
}

/** The same for a server that runs. On engines it comes with the weaknesses of an install. */
export const OPEN_SERVER: Record<PlatformKind, readonly Weakness[]> = {
  process: OPEN_WALLS,
  docker: [...OPEN_WALLS, ROOT_USER],
  podman: OPEN_WALLS,
}
