import type { PlatformKind } from '../platform.ts'
import type { Weakness } from './build.ts'

const RUN = 'packages/runtimes/src/process/install-run.ts'
const FETCH = 'packages/runtimes/src/packages/fetch-step.ts'
const INSTALL = 'packages/runtimes/src/packages/install-step.ts'

const MORE_PROCESSES: Weakness = {
  file: 'packages/runtimes/src/install-rules.ts',
  find: 'pids: 512',
  replace: 'pids: 5000',
}

/** One file of the container's own instead of one in memory. */
export const KEPT_CONFIG: readonly Weakness[] = [
  {
    file: 'packages/runtimes/src/packages/template.ts',
    find: "CONFIG_FOLDER = '/build/config'",
    replace: "CONFIG_FOLDER = '/build'",
  },
  { file: FETCH, find: "Tmpfs: { [CONFIG_FOLDER]: 'rw,noexec,nosuid,nodev,size=1m,mode=1777' },", replace: '' },
]

const ENGINE: readonly Weakness[] = [
  MORE_PROCESSES,
  ...KEPT_CONFIG,
  // The network that containers of an engine share.
  { file: INSTALL, find: "specOf(install, network?.way ?? 'none')", replace: "specOf(install, 'host')" },
  {
    file: 'packages/runtimes/src/engine/container-network.ts',
    find: "HOST_NETWORK: ContainerNetwork = { mode: 'host',",
    replace: "HOST_NETWORK: ContainerNetwork = { mode: 'bridge',",
  },
  {
    file: INSTALL,
    find: 'mounts: [],',
    replace: 'mounts: [{ hostPath: process.env.HOME, containerPath: process.env.HOME, readOnly: true }],',
  },
  { file: FETCH, find: 'User: RUN_AS,', replace: "User: '0:0'," },
  { file: FETCH, find: 'owner: Number(USER)', replace: 'owner: 0' },
]

/** The network of the machine, its files, what the fetch left, and no limit. */
export const OPEN_INSTALL: Record<PlatformKind, readonly Weakness[]> = {
  process: [
    MORE_PROCESSES,
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
