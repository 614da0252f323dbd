import { PerformanceObserver } from 'node:perf_hooks'
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'

/**
 * In bytes, of both halves that the engine copies new objects between. While calls come in fast it lets them grow to twice as much, from
 * which the bench of the gateway gains nothing. With half as much, calls of 10 KB cost a tenth more.
 */
export const MOST_FOR_NEW_OBJECTS = 64 * 1024 * 1024

/** The engine takes a limit of its own only from the command line, which is the user's. What it takes later is by how much they grow. */
export function boundNewObjects(): Disposable {
  let mayGrow = true
  const watch = new PerformanceObserver(() => {
    // It makes them small again when little is to do. Then they may grow anew.
    const hasRoom = sizeForNewObjects() < MOST_FOR_NEW_OBJECTS
    if (hasRoom === mayGrow) return
    mayGrow = hasRoom
    setFlagsFromString(`--semi-space-growth-factor=${mayGrow ? 2 : 1}`)
  })
  watch.observe({ entryTypes: ['gc'] })
  return { [Symbol.dispose]: () => watch.disconnect() }
}

export function sizeForNewObjects(): number {
  return getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space')?.space_size ?? 0
}
