export interface OpenCall {
  giveUp(reason: Error): void
}

/**
 * One listener for all calls of a signal: adding and removing one for each call costs more than everything else in it.
 */
export class CallsOfSignals<Call extends OpenCall> {
  readonly #open = new WeakMap<AbortSignal, Set<Call>>()

  of(signal: AbortSignal): Set<Call> {
    const known = this.#open.get(signal)
    if (known !== undefined) return known
    const open = new Set<Call>()
    this.#open.set(signal, open)
    signal.addEventListener('abort', () => [...open].forEach((call) => call.giveUp(reasonOf(signal))))
    return open
  }
}

function reasonOf(signal: AbortSignal): Error {
  return signal.reason instanceof Error ? signal.reason : new Error('it was given up')
}
