import { EventStream } from './event-stream.ts'
import type { HttpRequest, HttpResponse } from './exchange.ts'

/** Says who may hear what under the endpoint's current rules. */
export interface StreamRules {
  callerOf(request: HttpRequest): { expiresAt: number } | undefined
  mayStay(request: HttpRequest): boolean | Promise<boolean>
  mayHear(text: string, request: HttpRequest): boolean
}

/** The streams of one endpoint. Keep-alive lines keep them open, and they end when their clients lose their rights. */
export class OpenStreams {
  readonly #maxQueuedBytes: number
  readonly #rules: () => StreamRules
  /** Each with the request that it answers. */
  readonly #open = new Map<EventStream, HttpRequest>()

  constructor(maxQueuedBytes: number, rules: () => StreamRules) {
    this.#maxQueuedBytes = maxQueuedBytes
    this.#rules = rules
  }

  open(response: HttpResponse, headers?: Readonly<Record<string, string>>): EventStream {
    const request = response.req
    const mayHear = (text: string) => this.#rules().mayHear(text, request)
    const stream = new EventStream(response, this.#maxQueuedBytes, headers, mayHear)
    // The client has already gone and would not notice the end of the stream.
    if (response.destroyed) return stream
    this.#open.set(stream, request)
    response.once('close', () => this.#open.delete(stream))
    endAt(this.#rules().callerOf(request)?.expiresAt ?? Infinity, response, stream)
    this.#endIfUnwelcome(stream, request)
    return stream
  }

  keepAlive(): void {
    for (const stream of this.#open.keys()) stream.keepAlive()
  }

  /** Tokens are revoked and rules change while streams are open. */
  endUnwelcome(): void {
    for (const [stream, request] of [...this.#open]) this.#endIfUnwelcome(stream, request)
  }

  #endIfUnwelcome(stream: EventStream, request: HttpRequest): void {
    const verdict = this.#rules().mayStay(request)
    if (verdict === false) stream.end()
    else if (verdict !== true) void verdict.then((mayStay) => mayStay || stream.end())
  }
}

/** Longer timers would fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

/** A stream ends with the token it was opened with. Its client comes back with a new one, or not at all. */
function endAt(time: number, response: HttpResponse, stream: EventStream): void {
  if (time === Infinity) return
  const ms = time - Date.now()
  if (ms <= 0) return stream.end()
  const timer = setTimeout(() => stream.end(), Math.min(ms, LONGEST_TIMER_MS)).unref()
  response.once('close', () => clearTimeout(timer))
}
