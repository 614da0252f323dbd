export interface Mismatch {
  /** Which line of the expectation, from 0; the number of its lines when there was more output than expected. */
  at: number
  expected: string
  got: string
}

const ANYTHING = '…'

/**
 * Compares what a page says with what was printed: lines in order, runs of white space as one space, blank lines
 * ignored. `…` matches any text inside a line, and any number of lines when it is alone on a line.
 */
export function matchOutput(expected: string, actual: string): Mismatch | undefined {
  const wanted = linesOf(expected)
  const printed = linesOf(actual)
  // Every number of printed lines that the expected lines so far can match.
  let reached = new Set([0])
  for (const line of wanted) {
    const next = step(line.text, reached, printed)
    if (next.size === 0) return { at: line.index, expected: line.text, got: gotAt(printed, Math.max(...reached)) }
    reached = next
  }
  if (reached.has(printed.length)) return undefined
  return {
    at: expected.split('\n').length,
    expected: '(no more output)',
    got: gotAt(printed, Math.max(...reached)),
  }
}

type Line = { index: number; text: string }

function linesOf(text: string): Line[] {
  return text
    .split('\n')
    .map((line, index) => ({ index, text: line.replaceAll(/\s+/g, ' ').trim() }))
    .filter((line) => line.text !== '')
}

function step(wanted: string, reached: ReadonlySet<number>, printed: readonly Line[]): Set<number> {
  if (wanted === ANYTHING) {
    const from = Math.min(...reached)
    return new Set(Array.from({ length: printed.length - from + 1 }, (_, more) => from + more))
  }
  const pattern = new RegExp(`^${wanted.split(ANYTHING).map(literally).join('.*')}$`)
  return new Set([...reached].filter((at) => pattern.test(printed[at]?.text ?? '')).map((at) => at + 1))
}

const gotAt = (printed: readonly Line[], at: number) => printed[at]?.text ?? '(the output ended)'

const literally = (text: string) => text.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`)
