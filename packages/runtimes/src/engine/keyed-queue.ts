import { abortReason } from './engine-client.ts'

/**
 * Runs tasks with the same key one after another: if many build the same image, the first builds and the others find
 * it.
 */
export function createKeyedQueue(): <T>(key: string, task: () => Promise<T>, signal: AbortSignal) => Promise<T> {
  const tails = new Map<string, Promise<unknown>>()
  return async (key, task, signal) => {
    signal.throwIfAborted()
    const before = tails.get(key)
    const { promise: mine, resolve: finish } = Promise.withResolvers<void>()
    // If one stops waiting, the next must still wait for those before it.
    const tail = Promise.all([before, mine])
    tails.set(key, tail)
    try {
      if (before !== undefined) await orAborted(before, signal)
      return await task()
    } finally {
      finish()
      if (tails.get(key) === tail) tails.delete(key)
    }
  }
}

function orAborted(waited: Promise<unknown>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(abortReason(signal))
    signal.addEventListener('abort', abort, { once: true })
    void waited.finally(() => {
      signal.removeEventListener('abort', abort)
      resolve()
    })
  })
}
