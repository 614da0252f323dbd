import { invalid, unavailable } from '../../errors.ts'
import type { Host } from '../../ports/host.ts'
import type { Mount } from '../../ports/runtime.ts'
import { isWithin } from '../config/is-within.ts'

interface Deps {
  host: Pick<Host, 'resolvePath' | 'gitPlaces'>
}

/**
 * Mounts files that make Git on this machine run programs over themselves, read-only, in folders that the server can write. Files
 * that the user mounts explicitly stay as mounted.
 */
export async function gitGuards(
  deps: Deps,
  mounts: readonly Mount[],
  covers: readonly Mount[],
  signal: AbortSignal,
): Promise<Mount[]> {
  const guards: Mount[] = []
  for (const mount of mounts) {
    if (mount.readOnly) continue
    const shadows = [...mounts.filter((other) => other !== mount && isWithin(baseOf(other), baseOf(mount))), ...covers]
    for (const hostPath of await deps.host.gitPlaces(mount.hostPath, signal)) {
      const below = hostPath.slice(mount.hostPath.length)
      const containerPath = `${baseOf(mount)}${below}`
      if (shadows.some((shadow) => isWithin(containerPath, baseOf(shadow)))) continue
      // Podman separates the parts of a mount with commas, so such a name would change its meaning.
      if (/[,"\p{Cc}]/u.test(below))
        throw invalid(
          `${JSON.stringify(hostPath)} cannot be protected from the server, because its name contains a comma, quotation mark or control character; rename it, or mount the folder read-only`,
        )
      guards.push(await overItself(deps, { hostPath, containerPath, readOnly: true }))
    }
  }
  return guards
}

/**
 * When a folder is renamed, the mounts below it move along, and a new file at the old path is not protected. A mount itself cannot
 * be renamed, so each folder on the path is mounted over itself.
 */
export async function pinnedFolders(deps: Deps, mounts: readonly Mount[], inPlace: readonly Mount[]): Promise<Mount[]> {
  const pins = new Map<string, Mount>()
  for (const { containerPath } of inPlace) {
    const above = [...mounts, ...inPlace].filter((other) => isWithin(containerPath, baseOf(other)))
    const [outer] = above
      .filter((other) => baseOf(other) !== containerPath)
      .toSorted((one, other) => baseOf(other).length - baseOf(one).length)
    if (!outer || outer.readOnly) continue
    for (let place = folderOf(containerPath); place.length > baseOf(outer).length; place = folderOf(place)) {
      if (pins.has(place)) break
      const hostPath = `${outer.hostPath}${place.slice(baseOf(outer).length)}`
      pins.set(place, await overItself(deps, { hostPath, containerPath: place, readOnly: false }))
    }
  }
  return [...pins.values()]
}

async function overItself({ host }: Deps, mount: Mount): Promise<Mount> {
  const found = await host.resolvePath(mount.hostPath)
  if (found?.path !== mount.hostPath)
    throw unavailable(`${mount.hostPath} changed while the server was starting. It is checked again at the next start.`)
  return { ...mount, identity: found.identity }
}

const baseOf = ({ containerPath }: Mount) => containerPath.replace(/\/+$/, '')
const folderOf = (path: string) => path.slice(0, path.lastIndexOf('/'))
