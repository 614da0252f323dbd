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
  if (host === '~' || host.startsWith('~/')) return join(homeDir, host.slice(1)) + rest
  return resolve(cwd, host) + rest
}
