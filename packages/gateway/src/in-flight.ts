/** Counts calls that are not answered yet, for whoever waits until there are none. */
export class InFlight {
  #count = 0
  #onQuiet: (() => void) | undefined

  begin(): void {
    this.#count++
  }

  end(): void {
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
