/** Rounds to the digits that are meaningful. */
const short = (value: number) => (value >= 10 ? value.toFixed(0) : value.toFixed(1))

export const inPercent = (percent: number) => `${short(percent)} %`

export function inMebibytes(bytes: number): string {
  const mebibytes = bytes / 2 ** 20
  return mebibytes >= 1024 ? `${(mebibytes / 1024).toFixed(1)} GiB` : `${short(mebibytes)} MiB`
}

export function inSeconds(ms: number): string {
  return ms >= 1000 ? `${(ms / 1000).toFixed(1)} s` : `${short(ms)} ms`
}
