/** How many typing errors a word of this length may have: one from four letters, two from eight. */
export function allowedTypos(length: number): 0 | 1 | 2 {
  if (length < 4) return 0
  return length < 8 ? 1 : 2
}

/**
 * The number of errors (a letter too many, missing, wrong, or two exchanged) between what was typed and a term, or
 * undefined when there are more than `max`. With `isPrefix`, only the beginning of the term needs to match.
 */
export function countTypos(typed: string, term: string, max: number, isPrefix: boolean): number | undefined {
  if (typed.length - term.length > max || (!isPrefix && term.length - typed.length > max)) return undefined
  const width = Math.min(term.length, typed.length + max)
  let beforeLast: number[] = []
  let last = Array.from({ length: width + 1 }, (_, column) => column)
  for (let row = 1; row <= typed.length; row++) {
    const current = [row]
    let best = row
    for (let column = 1; column <= width; column++) {
      const same = typed.charCodeAt(row - 1) === term.charCodeAt(column - 1)
      let cost = Math.min(
        (last[column - 1] ?? 0) + (same ? 0 : 1),
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
      )
      if (isExchange(typed, term, row, column)) cost = Math.min(cost, (beforeLast[column - 2] ?? 0) + 1)
      current.push(cost)
      if (cost < best) best = cost
    }
    if (best > max) return undefined
    beforeLast = last
    last = current
  }
  const count = isPrefix ? Math.min(...last) : (last[term.length] ?? max + 1)
  return count <= max ? count : undefined
}

function isExchange(typed: string, term: string, row: number, column: number): boolean {
  return (
    row > 1 &&
    column > 1 &&
    typed.charCodeAt(row - 1) === term.charCodeAt(column - 2) &&
    typed.charCodeAt(row - 2) === term.charCodeAt(column - 1)
  )
}
