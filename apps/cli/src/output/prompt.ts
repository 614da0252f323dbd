import type * as Clack from '@clack/prompts'
import { ThvError, invalid } from '@toolhaven/core/errors'

type CancelSymbol = Extract<Awaited<ReturnType<typeof Clack.confirm>>, symbol>

/** Questions go to stderr, so that a result can still be piped; without a terminal there is nobody to ask. */
export function canAsk(): boolean {
  return process.stdin.isTTY && process.stderr.isTTY
}

/** `instead` says how to do without the question; it is the error where there is no terminal. */
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

export async function confirm(question: Question): Promise<boolean> {
  const { clack, common } = await open(question)
  return answerOf(await clack.confirm({ ...common, initialValue: false }))
}

/** What is typed is not shown. */
export async function askHidden(question: Question): Promise<string> {
  const { clack, common } = await open(question)
  const validate = (text: string | undefined) =>
    text === undefined || text === '' ? 'Type something, or press Ctrl-C.' : undefined
  return answerOf(await clack.password({ ...common, validate }))
}

/** `fault` says what is wrong with a text, if anything is. */
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

/** A symbol stands for Ctrl-C. */
function answerOf<Answer extends boolean | string | string[]>(answer: Answer | CancelSymbol): Answer {
  if (typeof answer === 'symbol') throw new ThvError('conflict', 'cancelled; nothing was changed')
  return answer
}
