import type { LogLine, LogQuery } from '@toolhaven/core/ports/stores'

/** Marks where a run of the server begins. */
const START = 'start'

/**
 * `TIME<tab>KIND<tab>TEXT`, so that people can read the file and process it with `cut`. Lines in files older than this
 * format are only the text.
 */
const STORED = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)\t(stdout|stderr|start)\t(.*)$/

export const storedLine = ({ time, stream, text }: Required<LogLine>) => `${time}\t${stream}\t${text}`

export const storedStart = (time: string) => `${time}\t${START}\t`

function parseLine(stored: string): LogLine | typeof START {
  const [, time, kind, text = ''] = STORED.exec(stored) ?? []
  if (time === undefined) return { text: stored }
  if (kind === START) return START
  return { time, stream: kind === 'stdout' ? 'stdout' : 'stderr', text }
}

/** Reads from the end as far as the query needs. `tail` gives the last N stored lines. */
export async function readLines(tail: (count: number) => Promise<string[]>, query: LogQuery): Promise<LogLine[]> {
  // Skips marks, and lines of other runs.
  for (let count = query.lines + 8; ; count *= 4) {
    const stored = await tail(count)
    const { lines, isWhole } = chosenOf(stored.map(parseLine), query)
    if (isWhole || lines.length >= query.lines || stored.length < count) return lines.slice(-query.lines)
  }
}

function chosenOf(entries: readonly (LogLine | typeof START)[], { since, previous = false }: LogQuery) {
  const { life, isWhole } = previous ? previousLife(entries) : { life: entries, isWhole: false }
  const lines = life.filter((entry) => entry !== START)
  if (since === undefined) return { lines, isWhole }
  const isLate = ({ time }: LogLine) => time !== undefined && Date.parse(time) >= since
  const chosen = lines.filter(isLate)
  return { lines: chosen, isWhole: isWhole || chosen.length < lines.length }
}

function previousLife(entries: readonly (LogLine | typeof START)[]) {
  const end = entries.lastIndexOf(START)
  const start = end < 1 ? -1 : entries.lastIndexOf(START, end - 1)
  return { life: entries.slice(start + 1, Math.max(end, 0)), isWhole: start >= 0 }
}
