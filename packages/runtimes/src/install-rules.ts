import { invalid, type ThvError } from '@toolhaven/core/errors'
import type { InstallStep } from '@toolhaven/core/ports/runtime'

/** For what packages run while they are installed. */
export const INSTALL_LIMITS = { memoryBytes: 2 * 1024 ** 3, pids: 512 } as const
export const INSTALL_MINUTES = 15

/** The error for a step that failed after some hosts were refused. */
export function refusedHosts(step: InstallStep, what: string, refused: readonly string[]): ThvError {
  const flags = refused.map((host) => `--install-host ${host}`).join(' ')
  const failed =
    step === 'install'
      ? `The install scripts of ${what} failed after they were refused ${refused.join(', ')}`
      : `${what} could not be fetched: it leads to ${refused.join(', ')}, and a fetch reaches only public hosts and the package indexes in your configuration`
  return invalid(`${failed}. If you trust the package with that, allow it with ${flags} (install_hosts).`)
}

/**
 * npm calls git for such a dependency, or prepares it with a second npm that obeys the configuration in that
 * repository.
 */
export function refusedGit(what: string): ThvError {
  return invalid(
    `The npm package ${what} has a dependency from git, which is refused because npm would run programs of that repository. Use a version whose dependencies are all on a package index.`,
  )
}

const GIT_REFUSED = 'a fetch starts no other program'
/** npm's message about such a dependency: newer versions have an option, older ones get `START_NOTHING`. */
export const isRefusedGit = (output: string) => output.includes('EALLOWGIT') || output.includes(GIT_REFUSED)

/** Loaded before npm. Versions before 11.10 do not know `--allow-git`. */
export const START_NOTHING = `const refuse = () => {
  throw new Error('${GIT_REFUSED}')
}
const programs = require('child_process')
for (const name of ['exec', 'execFile', 'execFileSync', 'execSync', 'fork', 'spawn', 'spawnSync']) programs[name] = refuse
`
