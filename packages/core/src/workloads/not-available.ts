import type { CreateRequest } from '@toolhaven/contract/workload-request'
import { invalid } from '../errors.ts'

/**
 * A promise that cannot be kept yet is refused, never ignored. Each line goes when its feature comes.
 * `true` means: this request asks for it.
 */
const NOT_YET: readonly { what: string; asks: (asked: CreateRequest) => boolean }[] = [
  { what: 'tools_changed block', asks: (a) => a.tools_changed === 'block' },
]

export function refuseWhatIsNotAvailable(asked: CreateRequest): void {
  const missing = NOT_YET.filter(({ asks }) => asks(asked)).map(({ what }) => what)
  if (missing.length > 0) throw invalid(`not available yet: ${missing.join('; ')}; leave it out`)
}
