import { createHash, randomBytes } from 'node:crypto'
import type { JsonObject, RpcRequest } from '../../json-rpc.ts'
import type { ModernExchange } from './modern-exchange.ts'

/** For people who look something up before they answer. */
const KEPT_MS = 15 * 60_000
const MOST_KEPT = 1_000

interface Parked {
  exchange: ModernExchange
  /** Whose it is and what was asked: nobody else, and no other request, goes on with it. */
  mark: string
  timer: NodeJS.Timeout
}

/** Calls whose server waits for an answer of the client. The state the client carries is only the name of one. */
export class ParkedCalls {
  readonly #parked = new Map<string, Parked>()

  park(exchange: ModernExchange, mark: string): string {
    const state = randomBytes(32).toString('base64url')
    const timer = setTimeout(() => this.#drop(state), KEPT_MS)
    timer.unref()
    this.#parked.set(state, { exchange, mark, timer })
    const [oldest] = this.#parked.keys()
    if (this.#parked.size > MOST_KEPT && oldest !== undefined) this.#drop(oldest)
    return state
  }

  /** Each state is good once. */
  take(state: string, mark: string): ModernExchange | undefined {
    const parked = this.#parked.get(state)
    if (parked?.mark !== mark) return undefined
    clearTimeout(parked.timer)
    this.#parked.delete(state)
    return parked.exchange
  }

  clear(): void {
    for (const state of this.#parked.keys()) this.#drop(state)
  }

  #drop(state: string): void {
    const parked = this.#parked.get(state)
    if (parked === undefined) return
    clearTimeout(parked.timer)
    this.#parked.delete(state)
    parked.exchange.expire()
  }
}

/** Equal for the same request of the same caller, whatever it answers. */
export function markOf(owner: string | undefined, { method, params }: RpcRequest): string {
  const { _meta: _m, inputResponses: _r, requestState: _s, ...asked }: JsonObject = params ?? {}
  return createHash('sha256')
    .update(JSON.stringify([owner, method, asked]))
    .digest('base64url')
}
