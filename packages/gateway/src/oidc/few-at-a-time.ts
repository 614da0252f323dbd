import { ProviderUnavailable } from './token-problem.ts'

/** Introspections that run at the same time: made-up tokens must not become a flood at the provider. */
const MOST_RUNNING = 8
/** Those that wait for a turn. Further tokens are told to come again. */
const MOST_WAITING = 100

/** Runs some work now and the rest in turn. What `isUrgent` goes before the rest, and is never turned away. */
export function fewAtATime(): <T>(work: () => Promise<T>, isUrgent: boolean) => Promise<T> {
  const urgent: (() => void)[] = []
  const others: (() => void)[] = []
  let running = 0
  const turn = (isUrgent: boolean): Promise<void> | undefined => {
    if (running < MOST_RUNNING) {
      running += 1
      return undefined
    }
    if (!isUrgent && others.length >= MOST_WAITING)
      throw new ProviderUnavailable('too many unknown tokens are being checked')
    return new Promise((resolve) => void (isUrgent ? urgent : others).push(resolve))
  }
  return async (work, isUrgent) => {
    await turn(isUrgent)
    try {
      return await work()
    } finally {
      const next = urgent.shift() ?? others.shift()
      // The next one takes over this place.
      if (next === undefined) running -= 1
      else next()
    }
  }
}
