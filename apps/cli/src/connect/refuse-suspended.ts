import { readFileSync } from 'node:fs'
import { unavailable } from '@toolhaven/core/errors'
import type { LockHolder } from '@toolhaven/stores/files/lock-file'
import { pidNamespace } from '@toolhaven/stores/files/process-identity'

/** Ctrl-Z in the terminal of `thv serve` suspends the daemon. It still accepts connections, so every command would hang. */
export async function refuseSuspended({ pid, pidNamespace: namespace }: LockHolder): Promise<void> {
  if (namespace !== undefined && namespace !== (await pidNamespace())) return
  // Only Linux has this file. Its second field is a name in parentheses, which may hold anything.
  const stat = readStat(pid)
  if (!stat.slice(stat.lastIndexOf(')')).startsWith(') T ')) return
  throw unavailable(
    `the daemon (process ${pid}) is suspended, as after Ctrl-Z in its terminal\n` +
      `Type "fg" there, or run "kill -CONT ${pid}". "thv serve --stop" ends it.`,
  )
}

/** Read synchronously, like the lock: every command runs this, and must not start a thread pool for it. */
function readStat(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'latin1')
  } catch {
    return '' // not Linux, or the daemon has just ended
  }
}
