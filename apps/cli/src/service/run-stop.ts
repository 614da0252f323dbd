import { unsupported } from '@toolhaven/core/errors'
import { readLock } from '@toolhaven/stores/files/lock-file'
import { pathsOf } from '../connect/find-daemon.ts'
import type { Context } from '../context.ts'
import { endDaemon } from '../purge/end-daemon.ts'

/** `thv serve --stop` */
export async function runStop({ env, out }: Context, { format }: { format: string }): Promise<void> {
  if (env['THV_HOST'])
    throw unsupported(
      '--stop ends the daemon of this machine, but THV_HOST names another daemon\nUnset THV_HOST first.',
    )
  const { stateDir } = pathsOf(env)
  const found = await readLock(stateDir)
  const pid = found?.alive ? found.holder.pid : undefined
  await endDaemon(stateDir)
  if (format === 'json') return out.json({ stopped: pid !== undefined, ...(pid !== undefined && { pid }) })
  if (pid === undefined) return out.note('There is nothing to do: no daemon runs.')
  out.line(`the daemon is stopped (process ${pid})`)
  out.note(
    'Containers keep running. Sandboxed servers have stopped. The next command that needs the daemon starts it and its workloads again.',
  )
}
