import { join } from 'node:path'

export interface KnownSocket {
  product: string
  engine: 'docker' | 'podman'
  path: string
}

export interface HostPlaces {
  env: Readonly<Record<string, string | undefined>>
  homeDir: string
  platform: NodeJS.Platform
  /** Undefined on Windows. */
  uid?: number
  /** Prefix for `/run` and `/var/run`. Empty, unless a test keeps away from the machine's own engines. */
  systemRoot?: string
}

/** Where engines listen by default, in the order in which they are tried. */
export function knownSockets({ env, homeDir, platform, uid, systemRoot = '' }: HostPlaces): KnownSocket[] {
  if (platform === 'win32') {
    return [
      { product: 'Docker', engine: 'docker', path: '//./pipe/docker_engine' },
      { product: 'Podman machine', engine: 'podman', path: '//./pipe/podman-machine-default' },
    ]
  }
  const home = (...parts: string[]) => join(homeDir, ...parts)
  const runtime = env['XDG_RUNTIME_DIR'] || (uid === undefined ? undefined : `/run/user/${uid}`)
  const docker = (product: string, path: string): KnownSocket => ({ product, engine: 'docker', path })
  const podman = (product: string, path: string): KnownSocket => ({ product, engine: 'podman', path })
  return [
    docker('Docker', `${systemRoot}/var/run/docker.sock`),
    ...(runtime === undefined ? [] : [docker('rootless Docker', join(runtime, 'docker.sock'))]),
    docker('Docker Desktop', home('.docker', 'run', 'docker.sock')),
    docker('Docker Desktop', home('.docker', 'desktop', 'docker.sock')),
    docker('Rancher Desktop', home('.rd', 'docker.sock')),
    docker('Colima', home('.colima', 'default', 'docker.sock')),
    docker('Colima', home('.config', 'colima', 'default', 'docker.sock')),
    docker('OrbStack', home('.orbstack', 'run', 'docker.sock')),
    ...(env['TMPDIR'] === undefined
      ? []
      : [podman('Podman machine', join(env['TMPDIR'], 'podman', 'podman-machine-default-api.sock'))]),
    podman('Podman machine', home('.local', 'share', 'containers', 'podman', 'machine', 'podman.sock')),
    podman('Podman machine', home('.local', 'share', 'containers', 'podman', 'machine', 'qemu', 'podman.sock')),
    ...(runtime === undefined ? [] : [podman('rootless Podman', join(runtime, 'podman', 'podman.sock'))]),
    podman('Podman', `${systemRoot}/run/podman/podman.sock`),
  ]
}
