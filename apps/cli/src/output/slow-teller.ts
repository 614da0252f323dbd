const PAUSE_MS = 5_000
/** After this time, the same text is printed again with the elapsed time. */
const AGAIN_MS = 15_000

/**
 * For logs and pipes: a short task prints nothing, and a long one prints a line from time to time, with the elapsed time. An empty
 * text ends it.
 */
export function createSlowTeller(write: (line: string) => void, now: () => number): (text: string) => void {
  let since: { startedAt: number; toldAt: number; told: string } | undefined
  let latest = ''
  let timer: NodeJS.Timeout | undefined
  const look = () => {
    const time = now()
    since ??= { startedAt: time, toldAt: time, told: '' }
    const pause = latest === since.told ? AGAIN_MS : PAUSE_MS
    const left = since.toldAt + pause - time
    if (left <= 0) {
      since = { ...since, toldAt: time, told: latest }
      write(`[${Math.round((time - since.startedAt) / 1000)} s] ${latest}`)
    }
    clearTimeout(timer)
    // The text may stay the same for a long time, without further calls.
    timer = setTimeout(look, left > 0 ? left : AGAIN_MS).unref()
  }
  return (text) => {
    latest = text
    if (text !== '') return look()
    clearTimeout(timer)
    since = undefined
  }
}
