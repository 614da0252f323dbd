import { homedir, userInfo } from 'node:os'
import { isAbsolute } from 'node:path'
import { invalid } from '@toolhaven/core/errors'

/** The user's home folder. A user ID without an account, as in some containers, has none. */
export function homeDirOf(env: Readonly<Record<string, string | undefined>>): string {
  if (env['HOME']) return env['HOME']
  try {
    // With an empty HOME, homedir() gives an empty text.
    const home = homedir() || userInfo().homedir
    if (isAbsolute(home)) return home
  } catch {
    // There is no account, which is said below.
  }
  throw invalid(
    `HOME is not set, and user ${process.getuid?.()} has no home folder on this machine\nSet HOME to a folder of this user.`,
  )
}
