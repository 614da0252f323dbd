import { EventStream } from './event-stream.ts'
import type { HttpResponse } from './exchange.ts'

/** The streams of one endpoint, which are kept open by a line now and then. */
export class OpenStreams {
  readonly #maxQueuedBytes: number
  readonly #open = new Set<EventStream>()

  constructor(maxQueuedBytes: number) {
    this.#maxQueuedBytes = maxQueuedBytes
  }

  open(response: HttpResponse, headers?: Readonly<Record<string, string>>): EventStream {
    const stream = new EventStream(response, this.#maxQueuedBytes, headers)
    // Gone before: nobody would tell of its end.
    if (response.destroyed) return stream
    this.#open.add(stream)
    response.once('close', () => this.#open.delete(stream))
    return stream
  }

  keepAlive(): void {
    for (const stream of this.#open) stream.keepAlive()
  }
}
