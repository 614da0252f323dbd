import type { InstanceSpec } from '@toolhaven/core/ports/runtime'
import { DEFAULT_MEMORY_BYTES, DEFAULT_PIDS, OPEN_FILES, TEMPORARY_BYTES } from '../default-limits.ts'
import { refuseNul } from '../refuse-nul.ts'
import { FILTERED_BY } from './container-guard.ts'
import type { ContainerNetwork } from './network-of-container.ts'
import { HOST_PORT } from './container-state.ts'
import { volumeMount } from './volumes.ts'

/** How the instances of one engine are hardened. See docs/decisions/0013-container-hardening.md. */
export interface Hardening {
  /** Whether the engine has an init to run as process 1. It is used only where none of our programs runs first. */
  init: boolean
  readOnlyRoot: boolean
  /** Replaces the image's own user. */
  user?: string
  /** Folders that look empty inside and cannot be written to. */
  hiddenPaths?: Readonly<Record<string, string>> | undefined
  /** Further folders in memory, with their options. */
  inMemory?: Readonly<Record<string, string>>
}

const LOG_LIMITS = { 'max-size': '5m', 'max-file': '2' }

/** An instance as the engine expects it: the body of its create call. */
export function containerBody(
  spec: InstanceSpec,
  hardening: Hardening,
  network: ContainerNetwork,
): Record<string, unknown> {
  const { command } = network
  const env = Object.entries({ ...spec.env, ...network.env })
  refuseNul([
    ...spec.args,
    ...env.flat(),
    ...Object.entries(spec.labels).flat(),
    ...spec.mounts.flatMap((mount) => [mount.hostPath, mount.containerPath]),
  ])
  return {
    Image: spec.prepared.id,
    ...(command === undefined ? { Cmd: [...spec.args] } : { Entrypoint: command.entrypoint, Cmd: command.args }),
    ...(hardening.user !== undefined && { User: hardening.user }),
    Env: env.map(([key, value]) => `${key}=${value}`),
    Labels: {
      ...spec.labels,
      ...(network.filteredBy !== undefined && { [FILTERED_BY]: network.filteredBy }),
      ...(spec.network === 'host' && spec.targetPort !== undefined && { [HOST_PORT]: String(spec.targetPort) }),
    },
    // The image's own health check would run beside our program, without our system call filter.
    Healthcheck: { Test: ['NONE'] },
    Tty: false,
    AttachStdin: spec.stdio,
    OpenStdin: spec.stdio,
    // The server's input stays open when our connection drops, so the server lives on until the next daemon attaches.
    StdinOnce: false,
    AttachStdout: true,
    AttachStderr: true,
    HostConfig: hostConfig(spec, hardening, network),
  }
}

function hostConfig(spec: InstanceSpec, hardening: Hardening, network: ContainerNetwork): Record<string, unknown> {
  const memory = spec.limits.memoryBytes ?? DEFAULT_MEMORY_BYTES
  return {
    CapDrop: ['ALL'],
    SecurityOpt: ['no-new-privileges'],
    Privileged: false,
    PidsLimit: spec.limits.pids ?? DEFAULT_PIDS,
    Memory: memory,
    // Equal to the memory limit: no swap on top of it.
    MemorySwap: memory,
    ...(spec.limits.cpus === undefined ? {} : { NanoCpus: Math.round(spec.limits.cpus * 1e9) }),
    Ulimits: [{ Name: 'nofile', Soft: OPEN_FILES.soft, Hard: OPEN_FILES.hard }],
    RestartPolicy: { Name: 'no' },
    AutoRemove: false,
    // Ours has the system call filter. The engine's init does not, and a server can write to its memory.
    Init: hardening.init && network.command === undefined,
    ReadonlyRootfs: hardening.readOnlyRoot,
    ...((hardening.readOnlyRoot || hardening.inMemory || hardening.hiddenPaths) && {
      Tmpfs: { ...(hardening.readOnlyRoot && inMemory(spec)), ...hardening.inMemory, ...covers(hardening, spec) },
    }),
    LogConfig: { Type: 'json-file', Config: LOG_LIMITS },
    NetworkMode: network.mode,
    Mounts: [
      ...[...spec.mounts, ...network.mounts].map((mount) => ({
        Type: 'bind',
        Source: mount.hostPath,
        Target: mount.containerPath,
        ReadOnly: mount.readOnly,
        BindOptions: { Propagation: 'rprivate' },
      })),
      ...(network.volumes ?? []).map(({ name, containerPath }) => volumeMount(name, containerPath, true)),
    ],
  }
}

function covers({ hiddenPaths = {} }: Hardening, spec: InstanceSpec): Record<string, string> {
  return Object.fromEntries(unmounted(Object.keys(hiddenPaths), spec).map((path) => [path, hiddenPaths[path] ?? '']))
}

/** Podman mounts a folder in memory without a size at each of these when the root is read-only. */
const WRITABLE = ['/tmp', '/run', '/var/tmp']

function inMemory(spec: InstanceSpec): Record<string, string> {
  const options = `rw,exec,nosuid,nodev,mode=1777,size=${TEMPORARY_BYTES}`
  return Object.fromEntries(unmounted(WRITABLE, spec).map((path) => [path, options]))
}

/** Those where the user has not mounted anything. */
function unmounted(paths: readonly string[], { mounts }: InstanceSpec): string[] {
  return paths.filter((path) => !mounts.some(({ containerPath }) => containerPath === path))
}
