import type { Wanted } from '../../ports/stores.ts'
import { isUnhealthy, type Observed } from './observed.ts'

export type Action =
  | { do: 'nothing' }
  /** Try again later: the last attempt failed. */
  | { do: 'wait'; until: number }
  /** Ask the runtime what is there. */
  | { do: 'observe' }
  | { do: 'start' }
  /** Connect to an instance that runs already, after a restart of the daemon. */
  | { do: 'adopt' }
  /** Stop what runs; the next round starts it again. */
  | { do: 'replace'; reason: string; isFailure: boolean; isFinal?: boolean; atOnce?: boolean }
  | { do: 'stop' }
  | { do: 'remove' }

export interface Desire {
  wanted: Wanted
  generation: number
  /** A remote server has no instance, only a connection. */
  isRemote: boolean
}

/** Derives the next step from wanted and observed. A pure function: after a crash at any point, it simply decides again. */
export function nextAction(desire: Desire, observed: Observed, now: number): Action {
  const isMine = desire.isRemote || observed.instance !== 'unknown'
  if (desire.wanted === 'absent') return isMine ? { do: 'remove' } : observeWhenDue(observed, now)
  if (!isMine) return observeWhenDue(observed, now)
  if (desire.wanted === 'stopped') return isDown(observed) ? { do: 'nothing' } : { do: 'stop' }
  return towardsRunning(desire, observed, now)
}

function towardsRunning(desire: Desire, observed: Observed, now: number): Action {
  const failure = observed.failure
  const isUp = desire.isRemote ? observed.connected : observed.instance === 'running'
  const isOutdated = isUp && observed.instanceGeneration !== desire.generation
  if (isOutdated) return { do: 'replace', reason: 'the workload is restarting', isFailure: false }
  if (isUp && observed.exposed !== undefined)
    return { do: 'replace', ...observed.exposed, isFailure: true, atOnce: true }
  if (isUnhealthy(observed)) return { do: 'replace', reason: 'the server stopped answering', isFailure: true }
  if (isUp && observed.connected) return { do: 'nothing' }
  if (failure && failure.retryAt === undefined) return { do: 'nothing' }
  if (failure?.retryAt !== undefined && failure.retryAt > now) return { do: 'wait', until: failure.retryAt }
  return { do: isUp ? 'adopt' : 'start' }
}

function observeWhenDue(observed: Observed, now: number): Action {
  const retryAt = observed.failure?.retryAt
  return retryAt !== undefined && retryAt > now ? { do: 'wait', until: retryAt } : { do: 'observe' }
}

function isDown(observed: Observed): boolean {
  return (observed.instance === 'absent' || observed.instance === 'unknown') && !observed.connected && !observed.open
}
