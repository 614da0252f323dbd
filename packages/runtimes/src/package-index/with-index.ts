import { unavailable } from '@toolhaven/core/errors'
import type { PackageScheme } from '@toolhaven/core/ports/runtime'
import type { IndexKey } from './index-key.ts'

/** The package index that was configured when a fetch began. */
export interface KnownIndex {
  key: readonly string[]
  /** Throws if another index is configured by now. Then what was fetched must not be kept under this key. */
  confirm: () => Promise<void>
}

const TRIES = 3

/** Fetches a package, and fetches it again if the configured index changed in the meantime. */
export async function withIndex<Value>(
  indexKey: IndexKey,
  { scheme, name }: { scheme: PackageScheme; name: string },
  fetch: (index: KnownIndex) => Promise<Value>,
  signal: AbortSignal,
  left = TRIES,
): Promise<Value> {
  const key = await indexKey(scheme, signal)
  let isChanged = false
  const confirm = async () => {
    isChanged = (await indexKey(scheme, signal)).join('\n') !== key.join('\n')
    if (isChanged)
      throw unavailable(
        `The package index of this machine changed while ${name} was fetched. Start the workload again once its configuration no longer changes.`,
      )
  }
  try {
    return await fetch({ key, confirm })
  } catch (error) {
    if (!isChanged || left <= 1) throw error
  }
  return withIndex(indexKey, { scheme, name }, fetch, signal, left - 1)
}
