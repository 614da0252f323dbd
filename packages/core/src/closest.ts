/** The most likely intended name, if one is close enough. */
export function closest(typed: string, names: readonly string[]): string | undefined {
  const wanted = typed.toLowerCase()
  // A name that shares no letter with the input was not intended.
  const limit = Math.min(Math.max(1, Math.floor(wanted.length / 3)), wanted.length - 1)
  const ranked = names
    .map((name) => ({ name, distance: distanceOfEnd(wanted, name.toLowerCase()) }))
    .filter(({ distance }) => distance <= limit)
    .toSorted((a, b) => a.distance - b.distance)
  return ranked[0]?.name
}

/** `weather` means `io.github.someone/weather` if no name is closer. */
function distanceOfEnd(typed: string, name: string): number {
  const end = name.slice(name.lastIndexOf('/') + 1)
  const whole = distanceOf(typed, name)
  return end === name || typed.includes('/') ? whole : Math.min(whole, distanceOf(typed, end) + 0.5)
}

/** Edits from one to the other: a letter added, removed or changed, or two neighbours swapped. */
function distanceOf(from: string, to: string): number {
  let earlier: number[] = []
  let previous = Array.from({ length: to.length + 1 }, (_, at) => at)
  for (let row = 1; row <= from.length; row += 1) {
    const current = [row]
    for (let column = 1; column <= to.length; column += 1) {
      const change = from[row - 1] === to[column - 1] ? 0 : 1
      const isSwap = row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]
      current[column] = Math.min(
        (previous[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (previous[column - 1] ?? 0) + change,
        isSwap ? (earlier[column - 2] ?? 0) + 1 : Infinity,
      )
    }
    earlier = previous
    previous = current
  }
  return previous[to.length] ?? 0
}
