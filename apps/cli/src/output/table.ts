import { printable } from '@toolhaven/contract/visible-text'

export interface Column<Row> {
  title: string
  value: (row: Row) => string
  /** The column that shrinks if the terminal is narrow. */
  shrinks?: boolean
}

const GAP = '  '
const LEAST = 8

/** A table that fits the terminal. Without a terminal (a pipe, a file), nothing is cut. */
export function renderTable<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  width: number | undefined,
): string {
  const cells = [
    columns.map(({ title }) => title),
    ...rows.map((row) => columns.map(({ value }) => printable(value(row)).replaceAll('\t', ' '))),
  ]
  const widths = columns.map((_, at) => Math.max(...cells.map((line) => displayWidth(line[at] ?? ''))))
  if (width !== undefined) shrink(columns, widths, width)
  const lines = cells.map((line) =>
    line
      .map((cell, at) => fit(cell, widths[at] ?? 0))
      .join(GAP)
      .trimEnd(),
  )
  return `${lines.join('\n')}\n`
}

function shrink<Row>(columns: readonly Column<Row>[], widths: number[], width: number): void {
  const order = columns
    .map((column, at) => ({ at, shrinks: column.shrinks === true }))
    .toSorted((a, b) => Number(b.shrinks) - Number(a.shrinks))
  for (const { at } of order) {
    const excess = widths.reduce((sum, each) => sum + each, 0) + GAP.length * (widths.length - 1) - width
    if (excess <= 0) return
    const own = widths[at] ?? 0
    widths[at] = Math.max(Math.min(own, LEAST), own - excess)
  }
}

function fit(text: string, width: number): string {
  const own = displayWidth(text)
  if (own <= width) return text.padEnd(text.length + width - own)
  return `${charactersOf(text)
    .slice(0, Math.max(0, width - 1))
    .join('')}…`
}

const displayWidth = (text: string) => (isPlain(text) ? text.length : charactersOf(text).length)

/** Most text is plain ASCII, which needs neither a segmenter (making one loads tables for 50 ms) nor a table of controls. */
// oxlint-disable-next-line no-control-regex -- that is what is looked for
const isPlain = (text: string) => /^[\u0020-\u007E]*$/.test(text)

/** Characters as a reader counts them, including an emoji of several code points. */
function charactersOf(text: string): string[] {
  if (isPlain(text)) return text.split('')
  return Array.from(new Intl.Segmenter().segment(text), ({ segment }) => segment)
}
