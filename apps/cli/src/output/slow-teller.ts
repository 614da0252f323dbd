const PAUSE_MS = 5_000

/** For logs: what is done soon is not worth a line, and what takes long gets one now and then. An empty text ends it. */
export function createSlowTeller(write: (line: string) => void, now: () => number): (text: string) => void {
  let toldAt: number | undefined
  let told = ''
  return (text) => {
    if (text === '') {
      toldAt = undefined
      told = ''
      return
    }
    toldAt ??= now()
    if (text === told || now() - toldAt < PAUSE_MS) return
    toldAt = now()
    told = text
    write(text)
  }
}
