import { setTimeout as delay } from 'node:timers/promises'

/** Asks repeatedly until the answer is neither undefined nor false. Fails with `what` after the deadline. */
export async function until<T>(
  what: string,
  ask: () => Promise<T | undefined | false> | T | undefined | false,
  timeoutMs = 30_000,
): Promise<T> {
  const deadline = AbortSignal.timeout(timeoutMs)
  for (;;) {
    const answer = await ask()
    if (answer !== undefined && answer !== false) return answer
    if (deadline.aborted) throw new Error(`${what}: did not happen within ${timeoutMs} ms`)
    await delay(25)
  }
}
