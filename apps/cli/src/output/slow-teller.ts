const PAUSE_MS = 5_000
/** How long the same words stand before they are said again, with the time that it has taken by then. */
const AGAIN_MS = 15_000

/**
 * For logs and pipes: what is done soon is not worth a line, and what takes long gets one now and then, with the time that it
 * has taken. An empty text ends it.
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
    // The text may stand for long, and nobody calls meanwhile.
    timer = setTimeout(look, left > 0 ? left : AGAIN_MS).unref()
  }
  return (text) => {
    latest = text
    if (text !== '') return look()
    clearTimeout(timer)
    since = undefined
  }
}
