export type Limiter = <T>(work: () => Promise<T>, signal: AbortSignal) => Promise<T>

/** Runs at most `max` tasks at a time. Others wait, or give up when the signal aborts. */
export function createLimiter(max: number): Limiter {
  let running = 0
  const waiting: (() => void)[] = []

  async function enter(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    if (running < max) {
      running += 1
      return
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const leaveQueue = () => {
      const place = waiting.indexOf(resolve)
      if (place >= 0) waiting.splice(place, 1)
      reject(signal.reason)
    }
    waiting.push(resolve)
    signal.addEventListener('abort', leaveQueue, { once: true })
    try {
      await promise
    } finally {
      signal.removeEventListener('abort', leaveQueue)
    }
  }

  function leave(): void {
    const next = waiting.shift()
    if (next) next()
    else running -= 1
  }

  return async (work, signal) => {
    await enter(signal)
    try {
      return await work()
    } finally {
      leave()
    }
  }
}
