import type { RunConfig } from '@toolhaven/contract/run-config'
import { unavailable } from '../../errors.ts'
import type { Mount } from '../../ports/runtime.ts'
import { checkedMounts } from '../config/check-mounts.ts'
import type { SupervisorDeps } from './supervisor-deps.ts'

/** The mounts of a workload, checked now, with covers over what is hidden from it. From now on it is watched for more. */
export async function mountsInForce(
  { host, hiding, logs, masker }: Pick<SupervisorDeps, 'host' | 'hiding' | 'logs' | 'masker'>,
  config: RunConfig,
  signal: AbortSignal,
): Promise<{ mounts: Mount[]; hidesAny: boolean }> {
  const { name, ignore_config: { loadGlobal = true, printOverlays = false } = {} } = config
  // What holds another mount comes first, or it would lie over it.
  const mounts = (await checkedMounts({ host }, config)).toSorted((one, other) => depth(one) - depth(other))
  const hidden = await hiding.open(name, { mounts, loadGlobal }, signal)
  if (printOverlays) {
    if (hidden.length === 0) logs.append(name, 'stderr', 'Nothing is hidden from the server.')
    for (const { kind, cover, reason } of hidden)
      logs.append(name, 'stderr', masker.mask(`Hidden from the server: ${cover.containerPath} (${kind}; ${reason})`))
  }
  return { mounts: [...mounts, ...hidden.map(({ cover }) => cover)], hidesAny: hidden.length > 0 }
}

/** The same mounts for a further instance, checked for its own start. The covers over them are in force already. */
export async function withFreshCheck(
  { host }: Pick<SupervisorDeps, 'host'>,
  config: RunConfig,
  mounts: readonly Mount[],
): Promise<Mount[]> {
  const fresh = new Map((await checkedMounts({ host }, config)).map((mount) => [mount.containerPath, mount]))
  const moved = mounts.find(
    ({ containerPath, identity }) => identity !== undefined && fresh.get(containerPath)?.identity !== identity,
  )
  // What lies under the covers was found in the folder that was there at the start of the workload.
  if (moved) throw unavailable(`volume "${moved.hostPath}" was replaced since the workload started; restart it`)
  return [...mounts]
}

const depth = ({ containerPath }: Mount) => containerPath.split('/').filter(Boolean).length
