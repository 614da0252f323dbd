import { notFound } from '../../errors.ts'
import { excerpt } from '@toolhaven/contract/visible-text'
import type { WorkloadsDeps } from '../workloads-deps.ts'

/** The form of names in MCP registries. In an image reference, the part before the slash would be the host of its registry. */
const SERVER_NAME = /^[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+\/[A-Za-z0-9._-]+$/

/**
 * A bare word, or a name such as io.github.someone/weather, that neither the registry nor this machine knows is probably a typing
 * error. Pulling an image of that name would run whatever a stranger has published under it.
 */
export async function refuseUnknown({ runtime }: Pick<WorkloadsDeps, 'runtime'>, reference: string): Promise<void> {
  const isServerName = SERVER_NAME.test(reference)
  if (!isServerName && /[/:@\s]/.test(reference)) return
  const limit = AbortSignal.timeout(10_000)
  try {
    await runtime.prepare({ kind: 'image', reference }, { pull: 'never', onProgress: () => {} }, limit)
  } catch (error) {
    throw notFound(
      `The registry has no "${excerpt(reference)}", and this machine has no image of that name. An image needs a tag${isServerName ? '' : ' or a path'}, such as ${excerpt(reference)}:latest`,
      error,
    )
  }
}
