import { hasNul } from '@toolhaven/contract/text'
import { invalid } from '@toolhaven/core/errors'

/**
 * The last check before text goes to a sandbox or an engine. Everything that accepts text refuses a NUL already. Here
 * it would end an option of the sandbox and start another one, such as a mount.
 */
export function refuseNul(texts: readonly string[]): void {
  if (texts.some(hasNul))
    throw invalid('An argument, variable, label or mount of the workload contains a NUL character. Remove it.')
}
