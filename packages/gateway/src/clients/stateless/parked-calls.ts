import { createHash, randomBytes } from 'node:crypto'
import { whoMakesRoom } from '../../sessions/fair-share.ts'
import type { JsonObject, RpcRequest } from '../../messages/json-rpc.ts'
import type { ModernExchange } from './modern-exchange.ts'

/** Long enough for people who look something up before they answer. */
const KEPT_MS = 15 * 60_000
const MOST_KEPT = 1_000

type Waiting = Pick<ModernExchange, 'resume' | 'expire'>

interface Parked {
  exchange: Waiting
  owner: string | undefined
  /** Names the caller and the request: no other caller and no other request can continue it. */
  mark: string
  timer: NodeJS.Timeout
}

/** Calls whose server waits for an answer of the client. The state that the client carries only names one of them. */
export class ParkedCalls {
  readonly #parked = new Map<string, Parked>()

  park(exchange: Waiting, mark: string, owner: string | undefined): string {
    const state = randomBytes(32).toString('base64url')
    const timer = setTimeout(() => this.#drop(state), KEPT_MS)
    timer.unref()
    this.#parked.set(state, { exchange, mark, owner, timer })
    if (this.#parked.size > MOST_KEPT) this.#makeRoom(owner)
    return state
  }

  /** Each state can be used once. */
  take(state: string, mark: string): Waiting | undefined {
    const parked = this.#parked.get(state)
    if (parked?.mark !== mark) return undefined
    clearTimeout(parked.timer)
    this.#parked.delete(state)
    return parked.exchange
  }

  clear(): void {
    for (const state of this.#parked.keys()) this.#drop(state)
  }

  #makeRoom(asking: string | undefined): void {
    const owners = [...this.#parked.values()].map(({ owner }) => owner)
    const from = whoMakesRoom(owners, asking)
    const oldest = [...this.#parked].find(([, { owner }]) => owner === from)
    if (oldest !== undefined) this.#drop(oldest[0])
  }

  #drop(state: string): void {
    const parked = this.#parked.get(state)
    if (parked === undefined) return
    clearTimeout(parked.timer)
    this.#parked.delete(state)
    parked.exchange.expire()
  }
}

/** Equal for the same request of the same caller, whatever the request answers. */
export function markOf(owner: string | undefined, { method, params }: RpcRequest): string {
  const { _meta: _m, inputResponses: _r, requestState: _s, ...asked }: JsonObject = params ?? {}
  return createHash('sha256')
    .update(JSON.stringify([owner, method, asked]))
    .digest('base64url')
}
