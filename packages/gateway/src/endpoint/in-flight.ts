import type { RpcRequest } from '../messages/json-rpc.ts'

/** Goes on as long as its client wants: nobody waits for it to end. */
const LISTEN = 'subscriptions/listen'

/** Counts calls that are not answered yet, for whoever waits until there are none. */
export class InFlight {
  #count = 0
  #onQuiet: (() => void) | undefined

  begin({ method }: RpcRequest): void {
    if (method !== LISTEN) this.#count++
  }

  end({ method }: RpcRequest): void {
    if (method === LISTEN) return
    this.#count--
    if (this.#count === 0) this.#onQuiet?.()
  }

  drain(ms: number): Promise<void> {
    if (this.#count === 0) return Promise.resolve()
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms)
      this.#onQuiet = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }
}
