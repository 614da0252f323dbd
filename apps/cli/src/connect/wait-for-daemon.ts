import { setTimeout as delay } from 'node:timers/promises'

/** A daemon that has just been started, at a login for example, is there for others a little later. */
const PATIENCE_MS = 5_000
const PAUSE_MS = 50

/** Nobody listens: what was to be sent was not, so that it can be sent again. */
export function isNobodyThere(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ECONNREFUSED')
}

/** Tries until somebody is there. */
export async function whenSomebodyIsThere<T>(attempt: () => Promise<T>, signal: AbortSignal): Promise<T> {
  const deadline = Date.now() + PATIENCE_MS
  for (;;) {
    await delay(PAUSE_MS, undefined, { signal })
    try {
      return await attempt()
    } catch (error) {
      if (!isNobodyThere(error) || Date.now() > deadline) throw error
    }
  }
}
