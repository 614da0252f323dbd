import { readFile } from 'node:fs/promises'
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
  const wasNpmStart = pid !== undefined && (await isOfNpmStart(pid))
  await endDaemon(stateDir)
  if (format === 'json') return out.json({ stopped: pid !== undefined, ...(pid !== undefined && { pid }) })
  if (pid === undefined) return out.note('There is nothing to do: no daemon runs.')
  out.line(`the daemon is stopped (process ${pid})`)
  out.note(
    'Containers keep running. Sandboxed servers have stopped. The next command that needs the daemon starts it and its workloads again.',
  )
  if (wasNpmStart)
    out.note('It ran under "npm start", so the documentation site ended too; only "npm start" serves that again.')
}

/** npm tells each script which one it is. Where the system does not show this, nothing is said. */
async function isOfNpmStart(pid: number): Promise<boolean> {
  const environment = await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '')
  const variables = new Set(environment.split('\0'))
  return variables.has('npm_lifecycle_event=start') && variables.has('npm_package_name=toolhaven')
}
