import type { Outcome } from './try-desk.ts'

/** Errors of the tool, of a policy, of the server and of the way there differ in word and shape. */
export const WORDS: Readonly<Record<Outcome, string>> = {
  running: 'running',
  answered: 'answered',
  'tool-error': 'the tool reports an error',
  refused: 'refused by a policy of this server',
  'server-error': 'answered with an error of the protocol',
  failed: 'did not get through',
  cancelled: 'cancelled',
}

export const SHAPES: Readonly<Record<Outcome, string>> = {
  running: '◐',
  answered: '●',
  'tool-error': '▲',
  refused: '◆',
  'server-error': '▲',
  failed: '▲',
  cancelled: '○',
}
