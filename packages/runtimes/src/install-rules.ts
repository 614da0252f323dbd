import { invalid, type ThvError } from '@toolhaven/core/errors'

/** For what packages run while they are installed. */
export const INSTALL_LIMITS = { memoryBytes: 2 * 1024 ** 3, pids: 512 } as const
export const INSTALL_MINUTES = 15

/** For a script or a build that failed after it was refused hosts. */
export function refusedHosts(what: string, refused: readonly string[]): ThvError {
  const flags = refused.map((host) => `--install-host ${host}`).join(' ')
  return invalid(
    `The install scripts of ${what} failed after they were refused ${refused.join(', ')}; if you trust the package with that, allow it with ${flags} (install_hosts).`,
  )
}
