import { unsupported } from '@toolhaven/core/errors'
import { readLock } from '@toolhaven/stores/files/lock-file'
import { createDaemonClient } from '../connect/daemon-client.ts'
import { pathsOf } from '../connect/find-daemon.ts'
import type { Context } from '../context.ts'
import { findServiceManager } from './find-service-manager.ts'
import { installService } from './install-service.ts'
import { type ServiceFlags, planService } from './service-plan.ts'

/** `thv serve --install` */
export async function runInstall(
  { env, out, signal }: Context,
  { format, ...flags }: ServiceFlags & { format: string },
): Promise<void> {
  if (env['THV_HOST'])
    throw unsupported('a service runs on this machine, but THV_HOST names another daemon\nUnset THV_HOST first.')
  const manager = findServiceManager(env)
  const plan = await planService(flags, env)
  const { stateDir } = pathsOf(env)
  const { file, changed, notes } = await installService(manager, plan, (pid) => answers(stateDir, pid, signal), signal)
  if (format === 'json') return out.json({ service: file, changed, notes })
  out.line(changed ? `the service is installed and running: ${file}` : `the service was installed already: ${file}`)
  for (const note of notes) out.note(note)
  out.note(`"${manager.logCommand}" shows its output; "thv serve --uninstall" removes it.`)
}

async function answers(stateDir: string, pid: number, signal: AbortSignal): Promise<boolean> {
  const lock = await readLock(stateDir)
  if (!lock?.alive || lock.holder.pid !== pid) return false
  const limit = AbortSignal.any([signal, AbortSignal.timeout(1_000)])
  return createDaemonClient({ socketPath: lock.holder.socketPath })
    .call('getVersion', {}, limit)
    .then(
      () => true,
      () => false,
    )
}
