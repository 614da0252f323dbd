/** Aborted by Ctrl-C and by every signal that asks the program to end. */
export function stopSignal(interrupted: AbortSignal): AbortSignal & Disposable {
  const terminated = new AbortController()
  const onTerminate = () => terminated.abort(new Error('terminated'))
  process.once('SIGTERM', onTerminate)
  const signal = AbortSignal.any([interrupted, terminated.signal])
  return Object.assign(signal, { [Symbol.dispose]: () => void process.off('SIGTERM', onTerminate) })
}

export function untilStopped(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
}
