import type { RunConfig } from '@toolhaven/contract/run-config'
import type { Mount } from '../ports/runtime.ts'
import { mountsOf } from './mounts.ts'
import type { SupervisorDeps } from './supervisor-deps.ts'

/** The mounts of a workload with covers over what is hidden from it. From now on it is watched for more. */
export async function mountsInForce(
  { hiding, logs, masker }: Pick<SupervisorDeps, 'hiding' | 'logs' | 'masker'>,
  config: RunConfig,
  signal: AbortSignal,
): Promise<{ mounts: Mount[]; hidesAny: boolean }> {
  const { name, ignore_config: { loadGlobal = true, printOverlays = false } = {} } = config
  // What holds another mount comes first, or it would lie over it.
  const mounts = mountsOf(config).toSorted((one, other) => depth(one) - depth(other))
  const hidden = await hiding.open(name, { mounts, loadGlobal }, signal)
  if (printOverlays) {
    if (hidden.length === 0) logs.append(name, 'stderr', 'Nothing is hidden from the server.')
    for (const { kind, cover, reason } of hidden)
      logs.append(name, 'stderr', masker.mask(`Hidden from the server: ${cover.containerPath} (${kind}; ${reason})`))
  }
  return { mounts: [...mounts, ...hidden.map(({ cover }) => cover)], hidesAny: hidden.length > 0 }
}

const depth = ({ containerPath }: Mount) => containerPath.split('/').filter(Boolean).length
