import type { BeforeUpgrade, StoredWorkload } from '../ports/stores.ts'
import { atDigest } from '../workloads/config/image-reference.ts'

/** The state needed to go back. */
export function beforeUpgrade(stored: StoredWorkload): BeforeUpgrade {
  const { asked, entry, config, wanted, package: name, resolved, profileOrigin, needsOwnServers } = stored
  return {
    ...{ asked, config, wanted, package: name, profileOrigin },
    ...(entry && { entry }),
    ...(resolved && { resolved: exactly(resolved) }),
    ...(needsOwnServers !== undefined && { needsOwnServers }),
  }
}

/** A name such as `latest` may refer to another image by now, also on this machine. */
function exactly(resolved: NonNullable<StoredWorkload['resolved']>): NonNullable<StoredWorkload['resolved']> {
  const { reference, digest } = resolved
  if (digest === undefined || reference.includes('@') || reference.includes('://')) return resolved
  return { ...resolved, reference: atDigest(reference, digest) }
}

/** The previous configuration, unless the workload was changed in the meantime. A change of its group does not count. */
export function goneBack(current: StoredWorkload): StoredWorkload {
  if (!isUnderWay(current)) return current
  const { upgrade, entry: _entry, resolved: _resolved, needsOwnServers: _own, ...rest } = current
  if (upgrade === undefined) return current
  const { before } = upgrade
  const { group } = current.config
  return {
    ...rest,
    ...before,
    asked: { ...before.asked, ...(current.asked.group !== undefined && { group: current.asked.group }) },
    config: { ...before.config, ...(group !== undefined && { group }) },
    generation: current.generation + 1,
  }
}

/** Whether nobody has edited, restarted, stopped or removed the workload since its upgrade began. */
export function isUnderWay({ upgrade, generation, wanted }: StoredWorkload): boolean {
  return upgrade?.generation === generation && wanted === 'running'
}

export function withoutUpgrade(stored: StoredWorkload): StoredWorkload {
  if (!stored.upgrade) return stored
  const { upgrade: _upgrade, ...rest } = stored
  return rest
}
