import { conflict, unsupported } from '@toolhaven/core/errors'
import type { Context } from '../context.ts'
import { findServiceManager } from './find-service-manager.ts'
import { uninstallService } from './install-service.ts'

interface UninstallFlags {
  purge: boolean
  yes: boolean
  format: string
}

/** `thv serve --uninstall [--purge]` */
export async function runUninstall(
  context: Context,
  { purge: everything, yes, format }: UninstallFlags,
): Promise<void> {
  const { env, out, signal } = context
  if (env['THV_HOST'])
    throw unsupported('a service runs on this machine, but THV_HOST names another daemon\nUnset THV_HOST first.')
  const manager = findServiceManager(env)
  if (everything) {
    await askFirst(context, yes)
    const { purge } = await import('../purge/purge.ts')
    const purged = await purge(context, () => uninstallService(manager, signal))
    if (format === 'json') return out.json(purged)
    for (const what of purged.removed) out.line(`removed ${what}`)
    for (const what of purged.kept) out.note(`kept ${what}`)
    return out.note('kept the program itself: remove it as you installed it')
  }
  const wasThere = await uninstallService(manager, signal)
  if (format === 'json') return out.json({ service: manager.file, removed: wasThere })
  if (!wasThere) return out.note(`There is nothing to do: no service is installed (${manager.file}).`)
  out.line(`the service is stopped and removed: ${manager.file}`)
  out.note(
    'Workloads and settings stay; any thv command starts the daemon when it is needed. --purge removes all of it.',
  )
}

async function askFirst({ signal }: Context, yes: boolean): Promise<void> {
  if (yes) return
  const { confirm } = await import('../output/prompt.ts')
  const isSure = await confirm({
    message:
      'Remove the service, all workloads with their containers, entries in client settings, built images, ' +
      'secrets, settings and logs? This cannot be undone.',
    instead: 'there is no terminal to ask at; add --yes to remove everything without a question',
    signal,
  })
  if (!isSure) throw conflict('cancelled; nothing was changed')
}
