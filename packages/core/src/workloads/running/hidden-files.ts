import type { RunConfig } from '@toolhaven/contract/run-config'
import { invalid, unavailable } from '../../errors.ts'
import type { Mount } from '../../ports/runtime.ts'
import { checkedMounts } from '../config/check-mounts.ts'
import { gitGuards, pinnedFolders } from './guarded-mounts.ts'
import { noteInLog } from './last-words.ts'
import type { SupervisorDeps } from './supervisor-deps.ts'

/**
 * Checks the mounts of a workload, and adds covers for hidden files and guards for files that it must not change. Also starts to
 * watch for new ones.
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
  // After watching began, so that one of the two sees a repository that appears now.
  const guards = profile?.privileged ? [] : await gitGuards({ host }, mounts, covers, signal)
  if (guards.length > 0) noteInLog({ logs, masker }, name, describeGuards(guards))
  const pins = await pinnedFolders({ host }, mounts, [...guards, ...covers])
  const added = [...pins, ...guards, ...covers]
  if (added.length > MOST_ADDED)
    throw invalid(
      `hiding and protecting files needs ${added.length} mounts, and the limit is ${MOST_ADDED}; hide whole folders in the ignore files, mount smaller folders, or mount them read-only`,
    )
  return { mounts: inOrder([...mounts, ...added]), isGuarded: added.length > 0 }
}

/** bubblewrap needs 18 s for 1,500 mounts, and has 10 s. */
const MOST_ADDED = 1_000

function describeGuards(guards: readonly Mount[]): string {
  const [first] = guards
  const others = guards.length > 1 ? ` and ${guards.length - 1} more` : ''
  return `the server cannot change ${first?.containerPath}${others}, because Git on this machine runs programs that it names; to allow changes, mount it as a separate volume`
}

/** The same mounts for another instance, checked for its own start. Their covers are already in force. */
export async function withFreshCheck(
  { host }: Pick<SupervisorDeps, 'host'>,
  config: RunConfig,
  mounts: readonly Mount[],
): Promise<Mount[]> {
  const fresh = new Map((await checkedMounts({ host }, config)).map((mount) => [mount.containerPath, mount]))
  const moved = mounts.find(
    // The runtime itself checks the identity of mounts over a part of a folder.
    ({ containerPath, identity }) =>
      fresh.has(containerPath) && identity !== undefined && fresh.get(containerPath)?.identity !== identity,
  )
  // The covers were determined for the folder that existed when the workload started.
  if (moved)
    throw unavailable(`volume "${moved.hostPath}" has been replaced since the workload started; restart the workload`)
  return [...mounts]
}

/** An outer mount comes before the mounts inside it, or it would hide them. */
const inOrder = (mounts: readonly Mount[]) => mounts.toSorted((one, other) => depth(one) - depth(other))
const depth = ({ containerPath }: Mount) => containerPath.split('/').filter(Boolean).length
