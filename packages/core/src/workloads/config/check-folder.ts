import type { RunConfig } from '@toolhaven/contract/run-config'
import { invalid } from '../../errors.ts'
import type { Host, HostPath } from '../../ports/host.ts'
import { declaredMounts } from './mounts.ts'

type FolderHost = Pick<Host, 'resolvePath' | 'exposedBy' | 'holdsHome'>

/** At create and edit, before the mounts are looked at: in words for somebody who named a folder and no volume. */
export async function checkFolder({ host }: { host: FolderHost }, config: RunConfig): Promise<void> {
  const { folder } = config
  if (folder === undefined) return
  if (folder.command?.[0] === '') throw invalid('folder.command begins with an empty word; name a program')
  if (folder.watch && folder.write)
    throw invalid(
      'folder: write and watch cannot both be set, because what the server writes would restart it; mount a folder for its data as a volume instead of write',
    )
  for (const mount of declaredMounts({ folder })) {
    const found = await host.resolvePath(mount.host)
    if (!found) throw invalid(`folder "${mount.host}" does not exist on this machine; check its name`)
    await refuseFolder(host, mount.host, found)
  }
}

/** No option opens these: a server has no use for them as its own folder. */
export async function refuseFolder(
  host: Pick<Host, 'exposedBy' | 'holdsHome'>,
  name: string,
  found: HostPath,
): Promise<void> {
  const instead = 'name the folder of one server'
  if (found.kind !== 'directory') throw invalid(`folder "${name}" is not a folder; ${instead}`)
  if (await host.holdsHome(found))
    throw invalid(
      `folder "${name}" is your home folder or holds it, and with it every key and file of yours; ${instead}`,
    )
  const exposed = await host.exposedBy(found)
  if (exposed !== undefined) throw invalid(`folder "${name}" would expose ${exposed}; ${instead}`)
}
