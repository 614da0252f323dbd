import type { SupervisorDeps } from './supervisor-deps.ts'

/** Precedes the last output of a server in the reason of a failure. */
export const LAST_OUTPUT = '; its last output: '

/** Marks a line in the log of a workload as ours, not the server's. */
const OURS = '[toolhaven] '

export const isOurLine = (line: string) => line.startsWith(OURS)

const MAX_LINES = 5
/** Lines of a Node stack trace, and Node's final line. */
const STACK_LINE = /^ {4,}at \S.*|^Node\.js v\d[\d.]*$/
/** The number of lines that the exit history keeps. */
const MAX_HISTORY_LINES = 20
const MAX_CHARACTERS = 600

/** Adds our own line to the server's log: why it ended, and what happens next. */
export function noteInLog({ logs, masker }: Pick<SupervisorDeps, 'logs' | 'masker'>, name: string, text: string): void {
  logs.append(name, 'stderr', masker.mask(`${OURS}${text.replaceAll('\n', ' ')}`))
}

/** The server's output since our last line, which marks the end of each of its lives. */
export async function lastWords(
  { logs, masker }: Pick<SupervisorDeps, 'logs' | 'masker'>,
  name: string,
): Promise<string | undefined> {
  const own = await lastLines(logs, name)
  // The lines of a stack trace would displace the error itself. The log has them.
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
