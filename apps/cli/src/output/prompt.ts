import type * as Clack from '@clack/prompts'
import { ThvError, invalid } from '@toolhaven/core/errors'

type CancelSymbol = Extract<Awaited<ReturnType<typeof Clack.confirm>>, symbol>

/** Questions go to stderr, so that the result can be piped. Without a terminal, questions fail. */
export function canAsk(): boolean {
  return process.stdin.isTTY && process.stderr.isTTY
}

/** `instead` says how to avoid the question. It is the error if there is no terminal. */
export interface Question {
  message: string
  instead: string
  signal: AbortSignal
}

export interface Choice {
  value: string
  label?: string
  hint?: string
}

/** Nothing counts before Enter: a single key would take the y of "maybe" for a yes. Enter alone is no. */
export async function confirm(question: Question): Promise<boolean> {
  let message = `${question.message} (y/N)`
  for (;;) {
    const asked = { ...question, message }
    const answer = (await ask(asked, (clack, common) => clack.text(common))).trim().toLowerCase()
    if (['y', 'yes'].includes(answer)) return true
    if (['', 'n', 'no'].includes(answer)) return false
    message = `Type y or n, and press Enter: ${question.message} (y/N)`
  }
}

/** Does not echo the input. */
export async function askHidden(question: Question): Promise<string> {
  const validate = (text: string | undefined) =>
    text === undefined || text === '' ? 'Type something, or press Ctrl-C.' : undefined
  return ask(question, (clack, common) => clack.password({ ...common, validate }))
}

/** `fault` returns what is wrong with the input, if anything. */
export async function askText(
  question: Question,
  { initial, fault }: { initial: string; fault: (text: string) => string | undefined },
): Promise<string> {
  const validate = (text: string | undefined) => fault(text ?? '')
  return ask(question, (clack, common) => clack.text({ ...common, initialValue: initial, validate }))
}

export async function chooseOne(question: Question, choices: readonly Choice[]): Promise<string> {
  return ask(question, (clack, common) => clack.select({ ...common, options: [...choices] }))
}

export async function chooseSeveral(
  question: Question,
  choices: readonly Choice[],
  chosen: readonly string[],
): Promise<string[]> {
  return ask(question, (clack, common) =>
    clack.multiselect({ ...common, options: [...choices], initialValues: [...chosen], required: true }),
  )
}

async function ask<Answer extends string | string[]>(
  { message, instead, signal }: Question,
  show: (clack: typeof Clack, common: Common) => Promise<Answer | CancelSymbol>,
): Promise<Answer> {
  if (!canAsk()) throw invalid(instead)
  const clack = await import('@clack/prompts')
  // Ctrl-D closes the reader behind the question, which would then never be answered.
  const closed = new AbortController()
  const onKey = (_text: unknown, key?: { ctrl?: boolean; name?: string }) => {
    if (key?.ctrl === true && key.name === 'd') closed.abort()
  }
  const { stdin: input, stderr: output } = process
  input.on('keypress', onKey)
  try {
    const answer = await show(clack, { message, input, output, signal: AbortSignal.any([signal, closed.signal]) })
    // A symbol means Ctrl-C.
    if (typeof answer === 'symbol') throw new ThvError('conflict', 'cancelled; nothing was changed')
    return answer
  } finally {
    input.off('keypress', onKey)
  }
}

interface Common {
  message: string
  input: NodeJS.ReadStream
  output: NodeJS.WriteStream
  signal: AbortSignal
}
