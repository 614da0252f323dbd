/** What a person says with Ctrl-C: the first asks what runs to end and clean up, the second does not wait for that. */
export interface Interruption {
  asked: AbortSignal
  insisted: AbortSignal
}

export function listenForInterruption(): Interruption {
  const asked = new AbortController()
  const insisted = new AbortController()
  const hear = () => {
    if (asked.signal.aborted) return insisted.abort()
    console.log('\nEnding what runs; this can take half a minute. Press Ctrl-C again to end it at once.')
    asked.abort()
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, hear)
  return { asked: asked.signal, insisted: insisted.signal }
}
