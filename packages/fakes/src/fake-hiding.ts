import type { Hidden, Hiding, HidingEvents, HidingWish } from '@toolhaven/core/ports/hiding'

/** Hides what a test says, and remembers which workloads are watched. */
export class FakeHiding implements Hiding {
  readonly wishes = new Map<string, HidingWish>()
  hidden: Hidden[] = []
  /** Thrown by `open`. */
  fault: Error | undefined
  events: HidingEvents = { onAppeared: () => {}, onRepository: () => {} }

  async open(workload: string, wish: HidingWish): Promise<Hidden[]> {
    if (this.fault) throw this.fault
    this.wishes.set(workload, wish)
    return this.hidden
  }

  close(workload: string): void {
    this.wishes.delete(workload)
  }

  [Symbol.dispose](): void {
    this.wishes.clear()
  }
}
