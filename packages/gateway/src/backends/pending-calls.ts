import type { JsonObject, LargeLine } from '../json-rpc.ts'
import type { Call } from '../sessions/call.ts'
import { firstId } from './first-id.ts'

interface Pending {
  /** Undefined for the gateway's own requests. */
  call: Call | undefined
  /** `text` is the response as it came, where it came as text. */
  onAnswer: (body: JsonObject, text?: string) => void
  /** The same for a large one of which only the place of the id is known; false: it is to be read first. */
  onBytes?: ((line: LargeLine, from: number, to: number) => boolean) | undefined
  /** `error`: what the reason was made from, where there is one. */
  onLost: (reason: string, error?: Error) => void
}

/**
 * Requests a shared server has not answered yet, under ids of our own. They start at a random place, so that an answer to
 * a question of a former daemon never fits one of ours. The id is the progress token too.
 */
export class PendingCalls {
  readonly #pending = new Map<number, Pending>()
  #nextId = firstId()

  add(pending: Pending): number {
    const id = this.#nextId++
    this.#pending.set(id, pending)
    return id
  }

  /** Takes it out: a second answer finds nothing. */
  take(id: unknown): Pending | undefined {
    if (typeof id !== 'number') return undefined
    const pending = this.#pending.get(id)
    this.#pending.delete(id)
    return pending
  }

  /** Whether it was taken so. */
  takeBytes(id: number, line: LargeLine, from: number, to: number): boolean {
    const isTaken = this.#pending.get(id)?.onBytes?.(line, from, to) === true
    if (isTaken) this.#pending.delete(id)
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

  failAll(reason: string, except?: unknown): void {
    const lost = [...this.#pending].filter(([id]) => id !== except)
    for (const [id] of lost) this.#pending.delete(id)
    for (const [, pending] of lost) pending.onLost(reason)
  }
}
