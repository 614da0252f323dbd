import { createSerialQueue, type SerialQueue } from '../files/serial-queue.ts'

/** Runs the tasks of each key in call order, and those of different keys in parallel, at most `limit` at a time. */
export function createLimitedLanes(limit: number): SerialQueue {
  const inOrder = createSerialQueue()
  const queue: (() => void)[] = []
  let free = limit
  return (key, work) =>
    inOrder(key, async () => {
      if (free > 0) free -= 1
      else await new Promise<void>((resolve) => queue.push(resolve))
      try {
        return await work()
      } finally {
        const next = queue.shift()
        if (next === undefined) free += 1
        else next()
      }
    })
}
