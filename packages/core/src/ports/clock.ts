export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number
  /** Resolves after the time or rejects with the signal's reason. */
  sleep(ms: number, signal: AbortSignal): Promise<void>
}
