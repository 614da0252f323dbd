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
  const { clack, common } = await open(question)
  const message = `${common.message} (y/N)`
  const validate = (text: string | undefined) =>
    ANSWERS.test((text ?? '').trim()) ? undefined : 'Type y or n, and press Enter. Enter alone is no.'
  return /^y/i.test(answerOf(await clack.text({ ...common, message, validate })).trim())
}

const ANSWERS = /^(?:y|yes|n|no|)$/i

/** Does not echo the input. */
export async function askHidden(question: Question): Promise<string> {
  const { clack, common } = await open(question)
  const validate = (text: string | undefined) =>
    text === undefined || text === '' ? 'Type something, or press Ctrl-C.' : undefined
  return answerOf(await clack.password({ ...common, validate }))
}

/** `fault` returns what is wrong with the input, if anything. */
export async function askText(
  question: Question,
  { initial, fault }: { initial: string; fault: (text: string) => string | undefined },
): Promise<string> {
  const { clack, common } = await open(question)
  const validate = (text: string | undefined) => fault(text ?? '')
  return answerOf(await clack.text({ ...common, initialValue: initial, validate }))
}

export async function chooseOne(question: Question, choices: readonly Choice[]): Promise<string> {
  const { clack, common } = await open(question)
  return answerOf(await clack.select({ ...common, options: [...choices] }))
}

export async function chooseSeveral(
  question: Question,
  choices: readonly Choice[],
  chosen: readonly string[],
): Promise<string[]> {
  const { clack, common } = await open(question)
  const answer = await clack.multiselect({
    ...common,
    options: [...choices],
    initialValues: [...chosen],
    required: true,
  })
  return answerOf(answer)
}

async function open({ message, instead, signal }: Question) {
  if (!canAsk()) throw invalid(instead)
  const clack = await import('@clack/prompts')
  return { clack, common: { message, input: process.stdin, output: process.stderr, signal } }
}

/** A symbol means Ctrl-C. */
function answerOf<Answer extends boolean | string | string[]>(answer: Answer | CancelSymbol): Answer {
  if (typeof answer === 'symbol') throw new ThvError('conflict', 'cancelled; nothing was changed')
  return answer
}
