import { type Colour, type Output, terminalJson } from '../output/output.ts'
import { printable } from '@toolhaven/contract/visible-text'

export interface Line {
  time?: string | undefined
  stream?: string | undefined
  text: string
}

const COLOURS = ['cyan', 'yellow', 'green', 'magenta', 'blue', 'red'] as const satisfies (keyof Colour)[]

interface Looks {
  format: string
  timestamps: boolean
}

/** Writes lines of workloads. With several workloads, each line begins with the name. */
export function createLineWriter(out: Output, names: readonly string[], { format, timestamps }: Looks) {
  const width = Math.max(...names.map((name) => name.length))
  const prefixes = new Map(
    names.map((name, at) => [name, out.colour[COLOURS[at % COLOURS.length] ?? 'cyan'](`${name.padEnd(width)} |`)]),
  )
  return (workload: string, { time, stream, text }: Line) => {
    if (format === 'json') return out.line(terminalJson({ workload, time, stream, text }))
    const parts = [
      ...(names.length > 1 ? [prefixes.get(workload) ?? workload] : []),
      ...(timestamps ? [out.colour.dim(time ?? '-'.padEnd(24))] : []),
      printable(text),
    ]
    out.line(parts.join(' '))
  }
}

/** Sorts by time. A line without time keeps its place among the lines of its workload. */
export function inOrder<Entry extends { line: Line }>(perWorkload: readonly (readonly Entry[])[]): Entry[] {
  const placed = perWorkload.flatMap((entries) => {
    let last = ''
    return entries.map((entry) => {
      last = entry.line.time ?? last
      return { entry, at: last }
    })
  })
  return placed.toSorted((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0)).map(({ entry }) => entry)
}
