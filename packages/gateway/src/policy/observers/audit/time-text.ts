let second = -1
let upToSecond = ''

/**
 * Like `toISOString`, which takes longer than everything else in a record: most of the text stays the same for a
 * second.
 */
export function timeText(now: number = Date.now()): string {
  const present = Math.floor(now / 1000)
  if (present !== second) {
    second = present
    upToSecond = new Date(present * 1000).toISOString().slice(0, -4)
  }
  return `${upToSecond}${String(now - present * 1000).padStart(3, '0')}Z`
}
