import type { RunConfig } from '@toolhaven/contract/run-config'
import { invalid } from '../../errors.ts'
import type { Host, HostPath } from '../../ports/host.ts'
import { declaredMounts } from './mounts.ts'

type FolderHost = Pick<Host, 'resolvePath' | 'exposedBy' | 'holdsHome'>

/** At create and edit, before the check of the mounts, so that the messages speak of a folder and not of a volume. */
export async function checkFolder({ host }: { host: FolderHost }, config: RunConfig): Promise<void> {
  const { folder } = config
  if (folder === undefined) return
  if (folder.command?.[0] === '') throw invalid('folder.command begins with an empty word; name a program')
  if (folder.watch && folder.write)
    throw invalid(
      'folder: write and watch cannot both be set, because the server would restart itself whenever it writes; instead of write, mount a folder for its data as a volume',
    )
  for (const mount of declaredMounts({ folder })) {
    const found = await host.resolvePath(mount.host)
    if (!found) throw invalid(`folder "${mount.host}" does not exist on this machine; check its name`)
    await refuseFolder(host, mount.host, found)
  }
}

/** No option allows these, because no server needs them as its own folder. */
export async function refuseFolder(
  host: Pick<Host, 'exposedBy' | 'holdsHome'>,
  name: string,
  found: HostPath,
): Promise<void> {
  const instead = 'name the folder of one server'
  if (found.kind !== 'directory') throw invalid(`folder "${name}" is not a folder; ${instead}`)
  if (await host.holdsHome(found))
    throw invalid(
      `folder "${name}" is your home folder or contains it, and with it all your keys and files; ${instead}`,
    )
  const exposed = await host.exposedBy(found)
  if (exposed !== undefined) throw invalid(`folder "${name}" would expose ${exposed}; ${instead}`)
}
