/** Something that keeps bytes for a client. */
export interface Keeper {
  readonly bytes: number
  /** The oldest of them have already been sent and are kept only in case the client comes back for them. */
  readonly isSpare?: boolean
  /** Gives up some of them, the oldest first. */
  giveUp: () => void
}

/**
 * Limits the bytes that are kept for clients, for all of a workload together or for all workloads. Beyond the limit the
 * keeper with the most bytes gives up its oldest: if the oldest of all went first, one client could push out what is
 * kept for others. Bytes that clients already have go before that, because nobody loses a message or a connection with
 * them.
 */
export class KeptBytes implements Keeper {
  readonly #most: number
  readonly #whole: KeptBytes | undefined
  readonly #keepers = new Set<Keeper>()
  bytes = 0

  /** What counts here counts in `whole` too. */
  constructor(most: number, whole?: KeptBytes) {
    this.#most = most
    this.#whole = whole
  }

  /** The bytes of the keeper changed by `change`. */
  count(keeper: Keeper, change: number): void {
    if (keeper.bytes > 0) this.#keepers.add(keeper)
    else this.#keepers.delete(keeper)
    this.bytes += change
    while (this.bytes > this.#most) {
      const before = this.bytes
      this.giveUp()
      if (this.bytes >= before) break
    }
    this.#whole?.count(this, change)
  }

  giveUp(): void {
    let fullest: Keeper | undefined
    let spare: Keeper | undefined
    for (const keeper of this.#keepers) {
      if (keeper.bytes > (fullest?.bytes ?? 0)) fullest = keeper
      if (keeper.bytes > (spare?.bytes ?? 0) && keeper.isSpare === true) spare = keeper
    }
    const leaving = spare ?? fullest
    leaving?.giveUp()
  }
}
