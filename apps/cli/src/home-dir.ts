import { homedir } from 'node:os'
import { invalid } from '@toolhaven/core/errors'

/** The user's home folder. A user id without an account, as in some containers, has none of its own. */
export function homeDirOf(env: Readonly<Record<string, string | undefined>>): string {
  if (env['HOME']) return env['HOME']
  try {
    return homedir()
  } catch (error) {
    throw invalid(
      `HOME is not set, and user ${process.getuid?.()} has no account on this machine\nSet HOME to a folder of this user.`,
      error,
    )
  }
}
