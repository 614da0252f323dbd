/** Waits for work that several callers share. An abort ends the wait of one caller; the work and the others go on. */
export async function untilAborted<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  const aborted = Promise.withResolvers<never>()
  const abort = () => aborted.reject(signal.reason)
  signal.addEventListener('abort', abort, { once: true })
  if (signal.aborted) abort()
  return Promise.race([work, aborted.promise]).finally(() => signal.removeEventListener('abort', abort))
}
