import { ProviderUnavailable } from './token-problem.ts'

/** Introspections that run at the same time: made-up tokens must not become a flood at the provider. */
const MOST_RUNNING = 8
/** Introspections that wait for their turn. Clients with further tokens are told to try again later. */
const MOST_WAITING = 100

interface Waiting {
  begin: () => void
  turnAway: (error: ProviderUnavailable) => void
}

interface Work<T> {
  run: () => Promise<T>
  /** Runs before the rest, and is never turned away. */
  isUrgent: boolean
  /** The address that the request comes from. */
  from: string
}

/**
 * Runs some work now and the rest in turn. Addresses take turns, and when too much waits, the address with the most
 * waiting work loses its newest: a client that makes up tokens keeps nobody out who comes from another address.
 */
export function fewAtATime(): <T>(work: Work<T>) => Promise<T> {
  const urgent: Waiting[] = []
  const others = new WaitingByAddress()
  let running = 0
  const turn = (isUrgent: boolean, from: string): Promise<void> | undefined => {
    if (running < MOST_RUNNING) {
      running += 1
      return undefined
    }
    return new Promise((begin, turnAway) => {
      if (isUrgent) urgent.push({ begin, turnAway })
      else others.add(from, { begin, turnAway })
    })
  }
  return async ({ run, isUrgent, from }) => {
    await turn(isUrgent, from)
    try {
      return await run()
    } finally {
      const next = urgent.shift() ?? others.take()
      // The next one takes this place.
      if (next === undefined) running -= 1
      else next.begin()
    }
  }
}

class WaitingByAddress {
  /** In the order of their turns. */
  readonly #byAddress = new Map<string, Waiting[]>()
  #count = 0

  add(address: string, waiting: Waiting): void {
    const own = this.#byAddress.get(address) ?? []
    this.#byAddress.set(address, own)
    own.push(waiting)
    this.#count += 1
    if (this.#count > MOST_WAITING) this.#turnAwayOne(address)
  }

  take(): Waiting | undefined {
    const [next] = this.#byAddress
    if (next === undefined) return undefined
    const [address, list] = next
    const waiting = list.shift()
    this.#count -= 1
    this.#byAddress.delete(address)
    if (list.length > 0) this.#byAddress.set(address, list)
    return waiting
  }

  /** If several addresses have equally much, it is the one that asks. */
  #turnAwayOne(asking: string): void {
    let fullest = asking
    const lengthOf = (address: string) => this.#byAddress.get(address)?.length ?? 0
    for (const address of this.#byAddress.keys()) if (lengthOf(address) > lengthOf(fullest)) fullest = address
    const list = this.#byAddress.get(fullest)
    const newest = list?.pop()
    this.#count -= 1
    if (list?.length === 0) this.#byAddress.delete(fullest)
    newest?.turnAway(new ProviderUnavailable('too many unknown tokens are being checked'))
  }
}
