import { describeError, unavailable } from '@toolhaven/core/errors'
import type { Call } from '../../sessions/call.ts'
import type { Session } from '../../sessions/session.ts'
import type { Seat, Seats } from './seats.ts'

const LOOK_AGAIN_MS = 1_000

/**
 * Processes for stateless clients. Such clients cannot be told apart, and a server may ask about a call that it has
 * already answered. So each call has a process that no other call uses. The next one is started in advance.
 */
export class CallSeats {
  readonly #seats: Seats
  readonly #waitMs: number
  readonly #waiting = new Set<Call>()
  #timer: NodeJS.Timeout | undefined

  constructor(seats: Seats, waitMs: number) {
    this.#seats = seats
    this.#waitMs = waitMs
  }

  request(call: Call): void {
    const seat = this.#find(call)
    if (!(seat instanceof Error)) this.#give(seat, call)
    else if (this.#seats.isClosed) call.fail(describeError(seat))
    else this.#wait(call, seat)
  }

  /** There will be no more processes. */
  failWaiting(reason: string): void {
    for (const call of [...this.#waiting]) {
      call.onDone?.()
      call.onDone = undefined
      this.#seats.failUnsent(call, unavailable(reason))
    }
  }

  /** There is room for another process. */
  wake(): void {
    for (const call of this.#waiting) {
      const seat = call.isSettled ? undefined : this.#find(call)
      // Those that arrived later need room as well.
      if (seat instanceof Error) return
      this.#waiting.delete(call)
      if (seat !== undefined) this.#give(seat, call)
    }
  }

  /** Returns the reason when all are taken. */
  #find({ session }: Call): Seat | Error {
    const free = this.#freeSeatOf(session)
    if (free !== undefined) return free
    try {
      return this.#open(session)
    } catch (error) {
      return error instanceof Error ? error : new Error(String(error))
    }
  }

  #freeSeatOf(session: Session): Seat | undefined {
    return this.#seats.of(session).find(({ call }) => call === undefined)
  }

  #open(session: Session): Seat {
    return this.#seats.open(session, (link) => link.takeOver(session))
  }

  #wait(call: Call, reason: Error): void {
    this.#waiting.add(call)
    this.#lookAgain()
    const timer = setTimeout(() => {
      if (this.#waiting.delete(call)) call.fail(describeError(reason))
    }, this.#waitMs)
    timer.unref()
    call.onDone = () => {
      clearTimeout(timer)
      this.#waiting.delete(call)
    }
  }

  /** A client that does not come back to answer a question makes room after a while, without an event. */
  #lookAgain(): void {
    this.#timer ??= setInterval(() => {
      this.wake()
      if (this.#waiting.size > 0) return
      clearInterval(this.#timer)
      this.#timer = undefined
    }, LOOK_AGAIN_MS).unref()
  }

  #give(seat: Seat, call: Call): void {
    seat.call = call
    call.onDone?.()
    // Only after the answer is on its way.
    call.onDone = () => queueMicrotask(() => this.#release(seat))
    seat.opened.promise.then(
      () => this.#run(seat, call),
      (error: unknown) => this.#seats.failUnsent(call, error),
    )
  }

  #run(seat: Seat, call: Call): void {
    const { link } = seat
    if (call.isSettled || link === undefined) return
    // It may have been started before its client asked for log messages, or listened.
    link.replay()
    seat.isUsed = true
    link.request(call)
  }

  #release(seat: Seat): void {
    const session = seat.call?.session
    seat.call = undefined
    if (seat.isUsed) this.#seats.close(seat, 'its call is over')
    this.wake()
    if (session !== undefined) this.#prepare(session)
  }

  /** No call waits for it yet, so it takes no room from others. */
  #prepare(session: Session): void {
    if (session.isEnded || !this.#seats.hasRoom || this.#freeSeatOf(session) !== undefined) return
    this.#open(session)
  }
}
