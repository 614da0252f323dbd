import type { logLine } from '@toolhaven/contract/system'
import type * as z from 'zod'

export type LogLine = z.infer<typeof logLine>

/** As many as a browser shows without a stutter. The daemon keeps more than this only of very chatty servers. */
export const MOST_LINES = 100_000

/** The lines with the new ones; the oldest make room. */
export function withLines(before: readonly LogLine[], added: readonly LogLine[]): LogLine[] {
  return [...before, ...added].slice(-MOST_LINES)
}

/** Places of the lines that hold the text, whatever its case. */
export function findLines(lines: readonly LogLine[], text: string): number[] {
  const wanted = text.toLowerCase()
  if (wanted === '') return []
  return lines.flatMap((line, at) => (line.text.toLowerCase().includes(wanted) ? [at] : []))
}

/** The next place after the one that is shown, or before it, and round again at the end. */
export function nextPlace(places: readonly number[], from: number, step: 1 | -1): number | undefined {
  if (step === 1) return places.find((place) => place > from) ?? places[0]
  return places.findLast((place) => place < from) ?? places.at(-1)
}
