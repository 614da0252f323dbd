const PAUSE_MS = 5_000

/**
 * For logs and pipes: what is done soon is not worth a line, and what takes long gets one now and then, with the time that it
 * has taken. An empty text ends it.
 */
export function createSlowTeller(write: (line: string) => void, now: () => number): (text: string) => void {
  let since: { startedAt: number; toldAt: number; told: string } | undefined
  return (text) => {
    if (text === '') {
      since = undefined
      return
    }
    const time = now()
    since ??= { startedAt: time, toldAt: time, told: '' }
    if (text === since.told || time - since.toldAt < PAUSE_MS) return
    since = { ...since, toldAt: time, told: text }
    write(`[${Math.round((time - since.startedAt) / 1000)} s] ${text}`)
  }
}
