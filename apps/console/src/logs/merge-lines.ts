import { type LogLine, MOST_LINES } from './log-buffer.ts'

/** A line among those of other servers. */
export interface MergedLine extends LogLine {
  workload: string
  /** When it was written; of a line without a time, when the one before it of its server was. */
  place: string
}

export type NewLine = Omit<MergedLine, 'place'>

/** The lines in the order of time, with the new ones among them; the oldest make room. */
export function mergeLines(before: readonly MergedLine[], added: readonly NewLine[]): MergedLine[] {
  const lastOf = new Map<string, string>()
  for (const { workload } of added)
    if (!lastOf.has(workload)) lastOf.set(workload, before.findLast((line) => line.workload === workload)?.place ?? '')
  const placed = added.map((line) => {
    const place = line.time ?? lastOf.get(line.workload) ?? ''
    lastOf.set(line.workload, place)
    return { ...line, place }
  })
  // Sorting keeps the order of lines of one time, which is that of their server.
  const byPlace = (a: MergedLine, b: MergedLine) => (a.place < b.place ? -1 : a.place > b.place ? 1 : 0)
  return [...before, ...placed].toSorted(byPlace).slice(-MOST_LINES)
}

export interface LineFilter {
  q?: string | undefined
  stream?: LogLine['stream']
}

/** The lines that hold the text, whatever its case; of one stream if it is named. */
export function chooseLines(lines: readonly MergedLine[], { q = '', stream }: LineFilter): readonly MergedLine[] {
  const wanted = q.toLowerCase()
  if (wanted === '' && stream === undefined) return lines
  return lines.filter(
    (line) => (stream === undefined || line.stream === stream) && line.text.toLowerCase().includes(wanted),
  )
}
