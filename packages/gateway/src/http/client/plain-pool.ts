import type { OnReadOpts, Socket } from 'node:net'
import type { PlainCall } from './plain-call.ts'
import { type LinkOptions, PlainLink } from './plain-link.ts'

/** How much is read at once. */
const BUFFER_BYTES = 64 * 1024

/** The connections to one plain server: one per concurrent call, each kept for a while. */
export class PlainPool {
  readonly #linkOptions: LinkOptions
  readonly #links = new Set<PlainLink>()
  /** The most recently used one comes last. */
  readonly #idle: PlainLink[] = []
  #waiting: PlainCall[] = []
  #sweep: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(connect: (onread: OnReadOpts) => Socket) {
    this.#linkOptions = {
      connect,
      buffer: Buffer.allocUnsafeSlow(BUFFER_BYTES),
      known: { last: undefined },
      onFree: (link, keptMs) => this.#keep(link, keptMs),
      onGone: (link) => this.#forget(link),
    }
  }

  /**
   * Sends the request after the bytes that have already arrived were read. A connection that the server closed, or that
   * brought unexpected bytes, must not get the call.
   */
  ask(call: PlainCall): void {
    if (this.#waiting.push(call) === 1) setImmediate(() => this.#askAll())
  }

  /** Sends the request on a new connection. */
  askOnNewConnection(call: PlainCall): void {
    if (this.#isClosed) return call.fail(closed())
    try {
      const link = new PlainLink(this.#linkOptions)
      this.#links.add(link)
      call.askOn(link)
    } catch (error) {
      call.fail(error instanceof Error ? error : new Error(String(error)))
    }
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#sweep)
    for (const link of [...this.#links]) link.fail(closed())
  }

  #askAll(): void {
    const calls = this.#waiting
    this.#waiting = []
    const now = performance.now()
    for (const call of calls) {
      if (call.isOver) continue
      const link = this.#takeIdle(now)
      if (link === undefined) this.askOnNewConnection(call)
      else call.askOn(link)
    }
  }

  #takeIdle(now: number): PlainLink | undefined {
    for (let link = this.#idle.pop(); link !== undefined; link = this.#idle.pop()) {
      if (link.idleUntil > now) return link
      link.drop()
    }
    return undefined
  }

  #keep(link: PlainLink, keptMs: number): void {
    link.idleUntil = performance.now() + keptMs
    this.#idle.push(link)
    this.#sweep ??= setTimeout(() => this.#dropOld(), keptMs).unref()
  }

  /** One timer for all: connections come and go too often for one each. */
  #dropOld(): void {
    this.#sweep = undefined
    const now = performance.now()
    for (const link of this.#idle.filter(({ idleUntil }) => idleUntil <= now)) link.drop()
    const next = Math.min(...this.#idle.map(({ idleUntil }) => idleUntil))
    if (this.#idle.length > 0) this.#sweep = setTimeout(() => this.#dropOld(), next - now).unref()
  }

  #forget(link: PlainLink): void {
    this.#links.delete(link)
    const at = this.#idle.indexOf(link)
    if (at !== -1) this.#idle.splice(at, 1)
  }
}

function closed(): Error {
  return Object.assign(new Error('the connections to this server are closed'), { code: 'ECONNABORTED' })
}
