/** Runs the tasks of each key one after another, in call order. A failure does not stop later tasks. */
export type SerialQueue = <R>(key: string, work: () => Promise<R>) => Promise<R>

export function createSerialQueue(): SerialQueue {
  const tails = new Map<string, Promise<unknown>>()
  return (key, work) => {
    const before = tails.get(key) ?? Promise.resolve()
    const result = before.then(work)
    const tail = result.then(
      () => {},
      () => {}, // the caller has the rejection; the chain only needs to know that it is over
    )
    tails.set(key, tail)
    void tail.then(() => {
      if (tails.get(key) === tail) tails.delete(key)
    })
    return result
  }
}
