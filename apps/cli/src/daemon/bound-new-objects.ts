import { PerformanceObserver } from 'node:perf_hooks'
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'

/**
 * In bytes, of both halves that V8 copies new objects between. While calls come in fast it lets them grow to twice as much. The bench of the
 * gateway gains nothing from that. With half as much, calls of 10 KB cost a tenth more.
 */
export const MOST_FOR_NEW_OBJECTS = 64 * 1024 * 1024

/** V8 reads its size limit only when it starts. The growth factor can still be changed later. */
export function boundNewObjects(): Disposable {
  let mayGrow = true
  const watch = new PerformanceObserver(() => {
    // V8 shrinks them when there is little to do. Let them grow again.
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
