import type { EndpointTraffic } from '@toolhaven/core/ports/gateway'
import type { Call, CallOutcome } from '../sessions/call.ts'

/** Lasts as long as its client wants, so its duration says nothing about how fast a server is. */
const LISTEN = 'subscriptions/listen'

/** One minute, in slices. A slice that is over is forgotten as a whole. */
const SLICE_MS = 5_000
const SLICES = 12

/**
 * Durations are counted in steps, each a fifth longer than the one before. The median is as exact as that, and a call
 * costs no memory.
 */
const STEPS_PER_DOUBLING = 4
const SHORTEST_MS = 2 ** -6
const STEPS = 28 * STEPS_PER_DOUBLING

/** The calls of an endpoint: those that are not answered yet, and how those of the last minute went. */
export class Traffic {
  #inFlight = 0
  #onQuiet: (() => void) | undefined
  readonly #now: () => number
  readonly #slices: Slice[] = []

  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  begin({ request: { method } }: Pick<Call, 'request'>): void {
    if (method !== LISTEN) this.#inFlight++
  }

  end({ request: { method }, since }: Pick<Call, 'request' | 'since'>, outcome: CallOutcome): void {
    if (method === LISTEN) return
    const now = this.#now()
    const slice = this.#sliceAt(now)
    slice.calls++
    if (outcome === 'failed') slice.errors++
    // A call that the client gave up shows how patient the client was, not how fast the server is.
    if (outcome !== 'abandoned') count(slice, stepOf(now - since))
    this.#inFlight--
    if (this.#inFlight === 0) this.#onQuiet?.()
  }

  /** Counts a call that was not passed on to the server. */
  refused(): void {
    const slice = this.#sliceAt(this.#now())
    slice.calls++
    slice.errors++
  }

  lastMinute(): Omit<EndpointTraffic, 'sessions'> {
    const oldest = Math.floor(this.#now() / SLICE_MS) - SLICES
    const recent = this.#slices.filter(({ number }) => number > oldest)
    const sum = (of: (slice: Slice) => number) => recent.reduce((total, slice) => total + of(slice), 0)
    const p50Ms = medianOf(recent)
    return {
      calls: sum(({ calls }) => calls),
      errors: sum(({ errors }) => errors),
      ...(p50Ms !== undefined && { p50Ms }),
    }
  }

  drain(ms: number): Promise<void> {
    if (this.#inFlight === 0) return Promise.resolve()
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms)
      this.#onQuiet = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }

  /** The slices form a ring: the slice of a minute ago is reused. */
  #sliceAt(now: number): Slice {
    const number = Math.floor(now / SLICE_MS)
    const slice = (this.#slices[number % SLICES] ??= { number, calls: 0, errors: 0, durations: new Uint32Array(STEPS) })
    if (slice.number === number) return slice
    slice.durations.fill(0)
    return Object.assign(slice, { number, calls: 0, errors: 0 })
  }
}

interface Slice {
  number: number
  calls: number
  errors: number
  durations: Uint32Array
}

function count({ durations }: Slice, step: number): void {
  durations[step] = (durations[step] ?? 0) + 1
}

function stepOf(ms: number): number {
  const step = Math.round(Math.log2(Math.max(ms, SHORTEST_MS) / SHORTEST_MS) * STEPS_PER_DOUBLING)
  return Math.min(step, STEPS - 1)
}

function medianOf(slices: readonly Slice[]): number | undefined {
  const counts = Array.from({ length: STEPS }, (_, step) =>
    slices.reduce((total, { durations }) => total + (durations[step] ?? 0), 0),
  )
  const half = counts.reduce((total, count) => total + count, 0) / 2
  if (half === 0) return undefined
  let seen = 0
  const step = counts.findIndex((count) => (seen += count) >= half)
  return SHORTEST_MS * 2 ** (step / STEPS_PER_DOUBLING)
}
