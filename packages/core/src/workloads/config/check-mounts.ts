import type { RunConfig } from '@toolhaven/contract/run-config'
import { invalid, notFound } from '../../errors.ts'
import type { Host, HostPath } from '../../ports/host.ts'
import type { Mount } from '../../ports/runtime.ts'
import type { StoredWorkload } from '../../ports/stores.ts'
import { refuseFolder } from './check-folder.ts'
import { isWithin } from './is-within.ts'
import { declaredMounts, type MountDeclaration } from './mounts.ts'

type Deps = { host: Pick<Host, 'resolvePath' | 'exposedBy' | 'holdsHome' | 'linkOnTheWay'> }

/**
 * At create and edit: refuses what must not be mounted, and returns the configuration with host paths resolved. A path that an edit
 * keeps must still lead to the same place, because the user never named the target of a link that appeared since.
 */
export async function withResolvedMounts(
  { host }: Deps,
  config: RunConfig,
  before?: Pick<StoredWorkload, 'asked' | 'config'>,
): Promise<RunConfig> {
  const isPrivileged = config.permission_profile?.privileged === true
  const kept = before && keptMounts(before)
  const resolved = new Map<string, string>()
  const mounts: MountDeclaration[] = []
  for (const mount of declaredMounts(config)) {
    const found = await host.resolvePath(mount.host)
    if (!found) throw invalid(`${called(mount)} does not exist on this machine; create it first`)
    const earlier = kept?.(mount)
    if (earlier !== undefined && earlier !== found.path) throw invalid(describeMove(mount, earlier, found.path))
    await refuseExposure(host, mount, found, isPrivileged)
    resolved.set(mount.host, found.path)
    mounts.push({ ...mount, host: found.path })
  }
  if (!isPrivileged) refuseNested(mounts)
  return withHostPaths(config, resolved)
}

/**
 * At every start: anyone who can write a folder above a mount could have replaced it with a link since the last check. The runtime
 * mounts only what has the identity that this check sees.
 */
export async function checkedMounts({ host }: Deps, config: RunConfig): Promise<Mount[]> {
  const isPrivileged = config.permission_profile?.privileged === true
  const declared = declaredMounts(config)
  if (!isPrivileged) refuseNested(declared)
  const mounts: Mount[] = []
  for (const mount of declared) {
    const found = await host.resolvePath(mount.host)
    if (!found) throw notFound(`${called(mount)} does not exist on this machine any more; create it again`)
    if (found.path !== mount.host) throw invalid(describeMove(mount, mount.host, found.path))
    await refuseExposure(host, mount, found, isPrivileged)
    const { container: containerPath, readOnly } = mount
    mounts.push({ hostPath: found.path, containerPath, readOnly, identity: found.identity })
  }
  await refuseLinkedPlaces(host, mounts)
  return mounts
}

/** Where a host path led when it was stored, whatever its container path is now. Undefined for a new path. */
function keptMounts({ asked, config }: Pick<StoredWorkload, 'asked' | 'config'>) {
  const stored = declaredMounts(config)
  const byPlace = new Map(stored.map(({ container, host }) => [container, host]))
  const named = declaredMounts(asked).map(({ host, container }) => [host, byPlace.get(container)] as const)
  const byHost = new Map([...named, ...stored.map(({ host }) => [host, host] as const)])
  return ({ host }: MountDeclaration) => byHost.get(host)
}

const nounOf = ({ isOwnFolder }: MountDeclaration) => (isOwnFolder ? 'folder' : 'volume')
const called = (mount: MountDeclaration) => `${nounOf(mount)} "${mount.host}"`

const describeMove = (mount: MountDeclaration, stored: string, now: string) =>
  `${nounOf(mount)} "${stored}" now leads through a link to "${now}", so it is not mounted; restore the folder or file, or set "${now}" as the ${nounOf(mount)} if you want that`

async function refuseExposure(
  host: Deps['host'],
  { host: name, isOwnFolder }: MountDeclaration,
  found: HostPath,
  isPrivileged: boolean,
): Promise<void> {
  if (isOwnFolder) return refuseFolder(host, name, found)
  if (isPrivileged) return
  const exposed = await host.exposedBy(found)
  if (exposed !== undefined)
    throw invalid(
      `volume "${name}" would expose ${exposed}; mount only the folder that the server needs, or set "privileged" in the permission profile`,
    )
}

/** The server could replace the inner mount with a link, and would see the link's target after a restart. */
function refuseNested(mounts: readonly MountDeclaration[]): void {
  const writable = mounts.filter(({ readOnly }) => !readOnly)
  for (const mount of mounts) {
    const { host: inner } = mount
    const isBelow = (other: MountDeclaration) => other.host !== inner && isWithin(inner, other.host)
    const outer = writable.find((other) => isBelow(other) && !isRepositoryOf(other, mount))?.host
    if (outer !== undefined)
      throw invalid(
        `volume "${inner}" lies below volume "${outer}", which the server can write, so the server could replace it with a link; mount "${outer}" read-only, or remove one of the two`,
      )
  }
}

/**
 * Mounting `.git` beside its working tree lets a server work with Git. It is mounted over itself, where no server can replace it,
 * and every start compares where it leads.
 */
function isRepositoryOf(outer: MountDeclaration, { host, container }: MountDeclaration): boolean {
  return host === `${outer.host}/.git` && container === `${outer.container.replace(/\/+$/, '')}/.git`
}

/**
 * Engines follow links when they resolve the place of a mount. A link in another mount of the server could place this mount over
 * Toolhaven's own files in the container, so that the server could replace them.
 */
async function refuseLinkedPlaces(host: Deps['host'], mounts: readonly Mount[]): Promise<void> {
  for (const { hostPath, containerPath } of mounts) {
    const place = namesOf(containerPath)
    for (const outer of mounts) {
      const above = namesOf(outer.containerPath)
      if (place.length <= above.length || above.some((name, at) => name !== place[at])) continue
      const link = await host.linkOnTheWay(outer.hostPath, place.slice(above.length))
      if (link !== undefined)
        throw invalid(
          `volume "${hostPath}" is not mounted at "${containerPath}", because "${link}" is a link; remove the link, or mount the volume at another path`,
        )
    }
  }
}

const namesOf = (path: string) => path.split('/').filter((name) => name !== '' && name !== '.')

function withHostPaths(config: RunConfig, resolved: ReadonlyMap<string, string>): RunConfig {
  const replaceHost = (text: string, isProfile: boolean) => {
    const [host = '', ...rest] = text.split(':')
    const real = resolved.get(host) ?? host
    return [real, ...(isProfile && rest.length === 0 && real !== host ? [host] : rest)].join(':')
  }
  const { permission_profile: profile, folder } = config
  return {
    ...config,
    ...(folder && { folder: { ...folder, path: resolved.get(folder.path) ?? folder.path } }),
    ...(config.volumes && { volumes: config.volumes.map((text) => replaceHost(text, false)) }),
    ...(profile && {
      permission_profile: {
        ...profile,
        ...(profile.read && { read: profile.read.map((text) => replaceHost(text, true)) }),
        ...(profile.write && { write: profile.write.map((text) => replaceHost(text, true)) }),
      },
    }),
  }
}
