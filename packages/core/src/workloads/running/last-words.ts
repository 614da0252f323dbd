import type { SupervisorDeps } from './supervisor-deps.ts'

/** Stands before what a server wrote last, in the reason of a failure. */
export const LAST_OUTPUT = '; its last output: '

/** Begins a line in the log of a workload that is ours, not the server's. */
const OURS = '[toolhaven] '

export const isOurLine = (line: string) => line.startsWith(OURS)

const MAX_LINES = 5
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
  const lines = await logs.tail(name, MAX_LINES)
  const own = lines.slice(lines.findLastIndex(isOurLine) + 1)
  return own.length === 0 ? undefined : masker.mask(own.join(' | ')).slice(-MAX_CHARACTERS)
}
