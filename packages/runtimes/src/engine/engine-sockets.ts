import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { dockerContextHost } from '../docker/docker-context.ts'
import { knownSockets, type HostPlaces } from './known-sockets.ts'
import { parseEngineHost } from './parse-engine-host.ts'

/**
 * Every socket of this machine that may control a container engine: access to one gives control of the machine, or at
 * least of everything that the user has. Besides those that Toolhaven would use itself, these are the sockets of other
 * engines, of the layers below them, and those that the environment or a Docker context names.
 */
export async function engineSockets(places: HostPlaces): Promise<string[]> {
  const { env, homeDir, platform, uid, systemRoot = '' } = places
  if (platform === 'win32') return []
  // Engines of the user's login listen in its usual folder, whatever folder this daemon has.
  const runtimes = [env['XDG_RUNTIME_DIR'], uid === undefined ? undefined : `${systemRoot}/run/user/${uid}`]
  const known = knownSockets(places).map(({ path }) => path)
  const named = ['DOCKER_HOST', 'CONTAINER_HOST', 'BUILDKIT_HOST', 'CONTAINERD_ADDRESS', 'CONTAINER_RUNTIME_ENDPOINT']
  const contexts = await contextHosts(env['DOCKER_CONFIG'] ?? join(homeDir, '.docker'))
  return [
    ...new Set([
      ...(await withoutAbsentTemporary(known, env['TMPDIR'])),
      ...SYSTEM_SOCKETS.map((path) => `${systemRoot}${path}`),
      ...runtimes.flatMap((runtime) => (runtime ? USER_SOCKETS.map((path) => join(runtime, path)) : [])),
      ...(await colimaSockets(homeDir)),
      ...[...named.map((name) => env[name] ?? ''), ...contexts].flatMap(socketPath),
    ]),
  ]
}

const SYSTEM_SOCKETS = [
  '/run/docker.sock',
  '/run/podman/podman.sock',
  '/run/containerd/containerd.sock',
  '/run/docker/containerd/containerd.sock',
  '/run/k3s/containerd/containerd.sock',
  '/run/crio/crio.sock',
  '/run/cri-dockerd.sock',
  '/run/buildkit/buildkitd.sock',
  '/var/lib/lxd/unix.socket',
  '/var/snap/lxd/common/lxd/unix.socket',
  '/var/lib/incus/unix.socket',
]

/** Below the user's runtime folder. */
const USER_SOCKETS = [
  'docker.sock',
  'podman/podman.sock',
  'containerd/containerd.sock',
  'containerd-rootless/api.sock',
  'buildkit/buildkitd.sock',
]

/** Of all profiles. */
async function colimaSockets(homeDir: string): Promise<string[]> {
  const folders = [join(homeDir, '.colima'), join(homeDir, '.config', 'colima')]
  const profiles = await Promise.all(folders.map((folder) => readdir(folder).catch(() => [])))
  return folders.flatMap((folder, at) => (profiles[at] ?? []).map((name) => join(folder, name, 'docker.sock')))
}

/** A folder for everybody's temporary files is not refused because of what might be in it later. */
async function withoutAbsentTemporary(paths: readonly string[], temporary: string | undefined): Promise<string[]> {
  const found: string[] = []
  for (const path of paths) {
    const isTemporary = temporary !== undefined && path.startsWith(join(temporary, 'podman', '/'))
    if (!isTemporary || (await stat(path).catch(() => undefined)) !== undefined) found.push(path)
  }
  return found
}

/** Of all contexts, not only the one in use. */
async function contextHosts(configFolder: string): Promise<string[]> {
  const folder = join(configFolder, 'contexts', 'meta')
  const names = await readdir(folder).catch(() => [])
  // A context that cannot be read names nothing that could be protected.
  return Promise.all(names.map((name) => dockerContextHost(join(folder, name)).catch(() => '')))
}

/** Empty for addresses that are not paths, and for invalid ones. */
function socketPath(host: string): string[] {
  if (host.startsWith('/')) return [host]
  try {
    const address = parseEngineHost(host)
    return address.kind === 'unix' && address.path.startsWith('/') ? [address.path] : []
  } catch {
    return []
  }
}
