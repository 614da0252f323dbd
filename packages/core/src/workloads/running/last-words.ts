import type { SupervisorDeps } from './supervisor-deps.ts'

/** Stands before what a server wrote last, in the reason of a failure. */
export const LAST_OUTPUT = '; its last output: '

/** Begins a line in the log of a workload that is ours, not the server's. */
const OURS = '[toolhaven] '

export const isOurLine = (line: string) => line.startsWith(OURS)

const MAX_LINES = 5
/** Of Node, and the line that it writes last. */
const STACK_LINE = /^ {4,}at \S.*|^Node\.js v\d[\d.]*$/
/** As many as the history of exits keeps. */
const MAX_HISTORY_LINES = 20
const MAX_CHARACTERS = 600

/** Writes a line of ours between those of the server: why it ended, and what happens next. */
export function noteInLog({ logs, masker }: Pick<SupervisorDeps, 'logs' | 'masker'>, name: string, text: string): void {
  logs.append(name, 'stderr', masker.mask(`${OURS}${text.replaceAll('\n', ' ')}`))
}

/** What the server wrote since our last line, which stands at the end of each of its lives. */
export async function lastWords(
  { logs, masker }: Pick<SupervisorDeps, 'logs' | 'masker'>,
  name: string,
): Promise<string | undefined> {
  const own = await lastLines(logs, name)
  // The lines of a stack would push out the error itself. The log has them.
  const told = own.filter((line) => line.trim() !== '' && !STACK_LINE.test(line)).slice(-MAX_LINES)
  return told.length === 0 ? undefined : masker.mask(told.join(' | ')).slice(-MAX_CHARACTERS)
}

/** The same as lines, and more of them. */
export async function lastLines(
  logs: SupervisorDeps['logs'],
  name: string,
  most: number = MAX_HISTORY_LINES,
): Promise<string[]> {
  const lines = await logs.tail(name, most)
  return lines.slice(lines.findLastIndex(isOurLine) + 1)
}
