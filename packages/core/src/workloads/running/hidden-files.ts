import type { RunConfig } from '@toolhaven/contract/run-config'
import { invalid, unavailable } from '../../errors.ts'
import type { Mount } from '../../ports/runtime.ts'
import { checkedMounts } from '../config/check-mounts.ts'
import { gitGuards, pinnedFolders } from './guarded-mounts.ts'
import { noteInLog } from './last-words.ts'
import type { SupervisorDeps } from './supervisor-deps.ts'

/**
 * The mounts of a workload, checked now, with covers over what is hidden from it and guards over what it must not change. From
 * now on it is watched for more.
 */
export async function mountsInForce(
  { host, hiding, logs, masker }: Pick<SupervisorDeps, 'host' | 'hiding' | 'logs' | 'masker'>,
  config: RunConfig,
  signal: AbortSignal,
): Promise<{ mounts: Mount[]; isGuarded: boolean }> {
  const { name, permission_profile: profile, ignore_config: { loadGlobal = true, printOverlays = false } = {} } = config
  const mounts = inOrder(await checkedMounts({ host }, config))
  const hidden = await hiding.open(name, { mounts, loadGlobal }, signal)
  if (printOverlays) {
    if (hidden.length === 0) logs.append(name, 'stderr', 'Nothing is hidden from the server.')
    for (const { kind, cover, reason } of hidden)
      logs.append(name, 'stderr', masker.mask(`Hidden from the server: ${cover.containerPath} (${kind}; ${reason})`))
  }
  const covers = hidden.map(({ cover }) => cover)
  // After the look-out began: a repository that comes now is seen by one of the two.
  const guards = profile?.privileged ? [] : await gitGuards({ host }, mounts, covers, signal)
  if (guards.length > 0) noteInLog({ logs, masker }, name, describeGuards(guards))
  const pins = await pinnedFolders({ host }, mounts, [...guards, ...covers])
  const added = [...pins, ...guards, ...covers]
  if (added.length > MOST_ADDED)
    throw invalid(
      `hiding files from the server and protecting others needs ${added.length} mounts, and ${MOST_ADDED} are the most; hide whole folders in the ignore files, or mount smaller folders, or mount them read-only`,
    )
  return { mounts: inOrder([...mounts, ...added]), isGuarded: added.length > 0 }
}

/** bubblewrap takes 18 s for 1,500, and is given 10. */
const MOST_ADDED = 1_000

function describeGuards(guards: readonly Mount[]): string {
  const [first] = guards
  const others = guards.length > 1 ? ` and ${guards.length - 1} more` : ''
  return `the server cannot change ${first?.containerPath}${others}, because Git on this machine runs what is named there; to allow it, mount that as a volume of its own`
}

/** The same mounts for a further instance, checked for its own start. The covers over them are in force already. */
export async function withFreshCheck(
  { host }: Pick<SupervisorDeps, 'host'>,
  config: RunConfig,
  mounts: readonly Mount[],
): Promise<Mount[]> {
  const fresh = new Map((await checkedMounts({ host }, config)).map((mount) => [mount.containerPath, mount]))
  const moved = mounts.find(
    // The runtime itself compares what is mounted over a part of a folder.
    ({ containerPath, identity }) =>
      fresh.has(containerPath) && identity !== undefined && fresh.get(containerPath)?.identity !== identity,
  )
  // What lies under the covers was found in the folder that was there at the start of the workload.
  if (moved) throw unavailable(`volume "${moved.hostPath}" was replaced since the workload started; restart it`)
  return [...mounts]
}

/** What holds another mount comes first, or it would lie over it. */
const inOrder = (mounts: readonly Mount[]) => mounts.toSorted((one, other) => depth(one) - depth(other))
const depth = ({ containerPath }: Mount) => containerPath.split('/').filter(Boolean).length
