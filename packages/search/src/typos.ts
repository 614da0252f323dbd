/** How many typing errors a word of this length may have: one from four letters, two from eight. */
export function allowedTypos(length: number): 0 | 1 | 2 {
  if (length < 4) return 0
  return length < 8 ? 1 : 2
}

const MORE = 99

/**
 * Makes a function that counts the errors (a letter too many, missing, wrong, or two exchanged) between what was typed and a term;
 * undefined when there are more than `max`. With `isPrefix`, only the beginning of the term must match. It reuses its buffers,
 * because it is called for many terms in a row.
 */
export function createTypoCounter(): (
  typed: string,
  term: string,
  max: number,
  isPrefix: boolean,
) => number | undefined {
  let [beforeLast, last, current] = [new Uint8Array(64), new Uint8Array(64), new Uint8Array(64)]
  return (typed, term, max, isPrefix) => {
    if (typed.length - term.length > max || (!isPrefix && term.length - typed.length > max)) return undefined
    const width = Math.min(term.length, typed.length + max)
    if (width >= last.length) [beforeLast, last, current] = [workspace(width), workspace(width), workspace(width)]
    for (let column = 0; column <= width; column++) last[column] = column
    for (let row = 1; row <= typed.length; row++) {
      if (fillRow(typed, term, { row, width, beforeLast, last, current }) > max) return undefined
      ;[beforeLast, last, current] = [last, current, beforeLast]
    }
    if (!isPrefix && width < term.length) return undefined
    const count = isPrefix ? Math.min(...last.subarray(0, width + 1)) : (last[width] ?? MORE)
    return count <= max ? count : undefined
  }
}

const workspace = (width: number) => new Uint8Array(width + 1)

interface Row {
  row: number
  width: number
  beforeLast: Uint8Array
  last: Uint8Array
  current: Uint8Array
}

/** Computes one row of the distance table and returns its minimum. */
function fillRow(typed: string, term: string, { row, width, beforeLast, last, current }: Row): number {
  const letter = typed.charCodeAt(row - 1)
  let left = row
  let best = row
  current[0] = row
  for (let column = 1; column <= width; column++) {
    const other = term.charCodeAt(column - 1)
    let cost = Math.min((last[column - 1] ?? 0) + (letter === other ? 0 : 1), (last[column] ?? 0) + 1, left + 1)
    const isExchange =
      row > 1 && column > 1 && letter === term.charCodeAt(column - 2) && typed.charCodeAt(row - 2) === other
    if (isExchange) cost = Math.min(cost, (beforeLast[column - 2] ?? 0) + 1)
    current[column] = cost
    left = cost
    if (cost < best) best = cost
  }
  return best
}
