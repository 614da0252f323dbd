import { join, resolve } from 'node:path'

export interface Caller {
  cwd: string
  homeDir: string
}

/** The daemon has another working directory, so `./notes` and `~/notes` are made absolute here. */
export function absoluteVolume({ cwd, homeDir }: Caller, volume: string): string {
  const at = volume.indexOf(':')
  const [host, rest] = at === -1 ? [volume, ''] : [volume.slice(0, at), volume.slice(at)]
  if (host === '') return volume
  return absolutePath({ cwd, homeDir }, host) + rest
}

export function absolutePath({ cwd, homeDir }: Caller, path: string): string {
  return path === '~' || path.startsWith('~/') ? join(homeDir, path.slice(1)) : resolve(cwd, path)
}
