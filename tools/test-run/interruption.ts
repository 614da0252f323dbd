/** Handles Ctrl-C: the first asks the running stages to end and clean up, the second ends them at once. */
export interface Interruption {
  asked: AbortSignal
  insisted: AbortSignal
}

export function listenForInterruption(): Interruption {
  const asked = new AbortController()
  const insisted = new AbortController()
  const hear = () => {
    if (asked.signal.aborted) return insisted.abort()
    console.log('\nStopping the tests; this can take half a minute. Press Ctrl-C again to stop at once.')
    asked.abort()
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, hear)
  return { asked: asked.signal, insisted: insisted.signal }
}
