import type { BeforeUpgrade, StoredWorkload } from '../ports/stores.ts'
import { atDigest } from '../workloads/config/image-reference.ts'

/** What has to be kept to go back. */
export function beforeUpgrade(stored: StoredWorkload): BeforeUpgrade {
  const { asked, entry, config, wanted, package: name, resolved, profileOrigin, needsOwnServers } = stored
  return {
    ...{ asked, config, wanted, package: name, profileOrigin },
    ...(entry && { entry }),
    ...(resolved && { resolved: exactly(resolved) }),
    ...(needsOwnServers !== undefined && { needsOwnServers }),
  }
}

/** A name such as `latest` may mean another image by now, here as well. */
function exactly(resolved: NonNullable<StoredWorkload['resolved']>): NonNullable<StoredWorkload['resolved']> {
  const { reference, digest } = resolved
  if (digest === undefined || reference.includes('@') || reference.includes('://')) return resolved
  return { ...resolved, reference: atDigest(reference, digest) }
}

/** The configuration of before, unless somebody changed the workload meanwhile. Its group may be another one by now. */
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

/** Nobody edited, restarted, stopped or removed the workload since its upgrade began. */
export function isUnderWay({ upgrade, generation, wanted }: StoredWorkload): boolean {
  return upgrade?.generation === generation && wanted === 'running'
}

export function withoutUpgrade(stored: StoredWorkload): StoredWorkload {
  if (!stored.upgrade) return stored
  const { upgrade: _upgrade, ...rest } = stored
  return rest
}
