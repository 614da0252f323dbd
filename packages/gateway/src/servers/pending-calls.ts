import type { JsonObject, LargeLine } from '../messages/json-rpc.ts'
import type { Call } from '../sessions/call.ts'
import { callerOf } from '../sessions/server-requests.ts'
import type { Cause, Session } from '../sessions/session.ts'
import { firstId } from '../messages/first-id.ts'

interface Pending {
  /** Undefined for the gateway's own requests. */
  call: Call | undefined
  /** `text` is the response as it arrived, where it arrived as text. */
  onAnswer: (body: JsonObject, text?: string) => void
  /**
   * The same for a large response that is not parsed: only the place of its id is known. Returns false when it has to
   * be parsed first.
   */
  onBytes?: ((line: LargeLine, from: number, to: number) => boolean) | undefined
  /** `error`: the cause of the reason, where there is one. */
  onLost: (reason: string, error?: Error) => void
}

/** How long after a call was answered or cancelled the server's messages may still belong to it. */
const LATE_MS = 300_000
const MOST_CANCELLED = 1_000
const MOST_CLIENTS = 1_000

/** These make no server ask anything, and most of them are the gateway's own. */
const CAUSES_NOTHING = /^ping$|\/list$|^resources\/(un)?subscribe$|^logging\/setLevel$/

/**
 * Requests that a shared server has not answered yet, under ids of our own. The ids start at a random number, so that
 * an answer to a request of an earlier daemon never matches one of this daemon. The id is also the progress token.
 */
export class PendingCalls {
  readonly #pending = new Map<number, Pending>()
  /** Cancelled requests, which the server may still work on. */
  readonly #cancelled = new Map<number, { cause: Cause; until: number }>()
  /** Clients whose calls are over, and until when a late message may belong to them. */
  readonly #served = new Map<Session, number>()
  /** Until then the server may work on calls that this daemon does not know. */
  #unknownUntil = 0
  #nextId = firstId()
  /** The caller of all calls that the server ever had. Null: several clients, or unknown ones. */
  #caller: Session | Cause | null | undefined
  /** Called once, when nothing is pending. */
  #onEmpty: (() => void) | undefined

  add(pending: Pending): number {
    const id = this.#nextId++
    if (pending.call !== undefined) this.#note(callerOf(pending.call.cause))
    this.#pending.set(id, pending)
    return id
  }

  /** Takes it out, so that a second answer finds nothing. */
  take(id: unknown): Pending | undefined {
    if (typeof id !== 'number') return undefined
    const pending = this.#pending.get(id)
    if (pending === undefined) this.#cancelled.delete(id)
    else this.#remove(id)
    return pending
  }

  /** Takes out the request of a client that no longer waits. Returns whether it was pending. */
  cancel(id: number): boolean {
    const call = this.take(id)?.call
    if (call === undefined) return false
    this.#cancelled.set(id, { cause: call.cause, until: Date.now() + LATE_MS })
    const [oldest] = this.#cancelled
    if (this.#cancelled.size > MOST_CANCELLED && oldest !== undefined) {
      this.#cancelled.delete(oldest[0])
      this.#unknownUntil = Math.max(this.#unknownUntil, oldest[1].until)
    }
    return true
  }

  /** The process has served others before: what they asked is not known. */
  takeOver(): void {
    this.#unknownUntil = Date.now() + LATE_MS
    this.#caller = null
  }

  /** Whether no other client's call was ever sent to the server. A server may ask about a call that it has answered. */
  hasServedOnly(session: Session | undefined): boolean {
    return this.#caller === undefined || this.#caller === session
  }

  /** Clients whose calls ended recently. */
  servedLately(): ReadonlySet<Session> {
    const now = Date.now()
    for (const [session, until] of this.#served) if (until < now) this.#served.delete(session)
    return new Set(this.#served.keys())
  }

  hasUnknown(): boolean {
    return Date.now() < this.#unknownUntil
  }

  /** The callers of recently cancelled calls that were not answered. */
  cancelledCauses(): Cause[] {
    const now = Date.now()
    for (const [id, { until }] of this.#cancelled) if (until < now) this.#cancelled.delete(id)
    return [...this.#cancelled.values()].map(({ cause }) => cause)
  }

  /** Calls `work` as soon as nothing is pending. */
  whenEmpty(work: () => void): void {
    this.#onEmpty = work
    this.#checkEmpty()
  }

  /** Returns whether the answer was accepted as bytes. */
  takeBytes(id: number, line: LargeLine, from: number, to: number): boolean {
    const isTaken = this.#pending.get(id)?.onBytes?.(line, from, to) === true
    if (isTaken) this.#remove(id)
    return isTaken
  }

  has(id: unknown): boolean {
    return typeof id === 'number' && this.#pending.has(id)
  }

  callOf(id: unknown): Call | undefined {
    return typeof id === 'number' ? this.#pending.get(id)?.call : undefined
  }

  /** Clients' calls, oldest first. */
  calls(): Call[] {
    return [...this.#pending.values()].flatMap(({ call }) => (call === undefined ? [] : [call]))
  }

  failAll(reason: string, except: ReadonlySet<unknown> = new Set()): void {
    const lost = [...this.#pending].filter(([id]) => !except.has(id))
    for (const [id] of lost) this.#pending.delete(id)
    for (const [, pending] of lost) pending.onLost(reason)
    this.#checkEmpty()
  }

  #note(caller: Session | Cause): void {
    this.#caller = this.#caller === undefined || this.#caller === caller ? caller : null
  }

  #remove(id: number): void {
    const call = this.#pending.get(id)?.call
    this.#pending.delete(id)
    if (call !== undefined && !CAUSES_NOTHING.test(call.request.method)) this.#hasServed(call.session)
    if (this.#onEmpty !== undefined) this.#checkEmpty()
  }

  #hasServed(session: Session): void {
    const now = Date.now()
    const until = now + LATE_MS
    // The oldest come first. If a server never asks, nothing else would remove them.
    for (const [served, over] of this.#served) {
      if (over >= now) break
      this.#served.delete(served)
    }
    this.#served.delete(session)
    this.#served.set(session, until)
    const [oldest] = this.#served
    if (this.#served.size <= MOST_CLIENTS || oldest === undefined) return
    this.#served.delete(oldest[0])
    this.#unknownUntil = Math.max(this.#unknownUntil, oldest[1])
  }

  #checkEmpty(): void {
    if (this.#pending.size > 0) return
    const work = this.#onEmpty
    this.#onEmpty = undefined
    work?.()
  }
}
