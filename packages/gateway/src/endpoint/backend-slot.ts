import { unavailable } from '@toolhaven/core/errors'
import type { BackendLink } from '../servers/backend.ts'
import type { Session } from '../sessions/session.ts'

interface Waiter {
  resolve: (link: BackendLink) => void
  giveUp: () => void
  timer: NodeJS.Timeout
}

/** The place behind an endpoint where a server is, or will be again in a moment. */
export class BackendSlot {
  readonly #name: string
  readonly #waiters = new Set<Waiter>()
  #link: BackendLink | undefined
  #reason = 'it has not been started yet'
  #blocked: string | undefined
  #isClosed = false

  constructor(name: string) {
    this.#name = name
  }

  get link(): BackendLink | undefined {
    return this.#link
  }

  fill(link: BackendLink): void {
    this.#link = link
    this.#blocked = undefined
    for (const waiter of this.#waiters) {
      clearTimeout(waiter.timer)
      waiter.resolve(link)
    }
    this.#waiters.clear()
  }

  empty(reason: string): BackendLink | undefined {
    const link = this.#link
    this.#link = undefined
    this.#reason = reason
    this.#blocked = undefined
    return link
  }

  /** No server will come until a person acts, so no call is kept waiting. */
  block(message: string): void {
    this.#blocked = message
    this.#tellWaiting()
  }

  wait(ms: number): Promise<BackendLink> {
    if (this.#link !== undefined) return Promise.resolve(this.#link)
    if (this.#blocked !== undefined || this.#isClosed) return Promise.reject(this.#away())
    return new Promise((resolve, reject) => {
      const giveUp = () => {
        clearTimeout(timer)
        this.#waiters.delete(waiter)
        reject(this.#away())
      }
      const timer = setTimeout(giveUp, ms)
      const waiter = { resolve, giveUp, timer }
      this.#waiters.add(waiter)
    })
  }

  /** The same for a session. A server started for a session that has ended in the meantime would never be stopped. */
  async waitFor(session: Pick<Session, 'isEnded'>, ms: number): Promise<BackendLink> {
    const link = await this.wait(ms)
    if (session.isEnded) throw unavailable('The session ended while it waited for the server.')
    return link
  }

  /** No server will come any more. Waiting calls are told now, later ones at once. */
  close(): void {
    this.#isClosed = true
    this.#tellWaiting()
  }

  #tellWaiting(): void {
    for (const waiter of [...this.#waiters]) waiter.giveUp()
  }

  #away(): Error {
    const away = `The server ${this.#name} is not available (${this.#reason}). Try again when it runs.`
    return unavailable(this.#blocked ?? away)
  }
}
