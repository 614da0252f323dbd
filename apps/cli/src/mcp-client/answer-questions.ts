import type { ElicitRequest, ElicitRequestFormParams, ElicitResult } from '@modelcontextprotocol/client'
import type { Output } from '../output/output.ts'
import { askText, chooseOne, chooseSeveral, confirm } from '../output/prompt.ts'
import { printable } from '@toolhaven/contract/visible-text'

type Field = ElicitRequestFormParams['requestedSchema']['properties'][string]
type Answer = NonNullable<ElicitResult['content']>[string]

const INSTEAD = 'the server asks something, and there is no terminal to ask you on'

/** Asks the person at the terminal a server's question. */
export async function answerQuestion(
  { params }: Pick<ElicitRequest, 'params'>,
  out: Output,
  signal: AbortSignal,
): Promise<ElicitResult> {
  out.transient('')
  if (params.mode === 'url') {
    out.note(`The server asks you to open ${printable(params.url)}`)
    const isDone = await confirm({
      message: `${printable(params.message)} Have you done it?`,
      instead: INSTEAD,
      signal,
    })
    return { action: isDone ? 'accept' : 'decline' }
  }
  const { properties, required = [] } = params.requestedSchema
  const isWilling = await confirm({
    message: `The server asks: ${printable(params.message)} Do you want to answer?`,
    instead: INSTEAD,
    signal,
  })
  if (!isWilling) return { action: 'decline' }
  const content: Record<string, Answer> = {}
  for (const [name, field] of Object.entries(properties)) {
    const answer = await askField(name, field, required.includes(name), signal)
    if (answer !== undefined) content[name] = answer
  }
  return { action: 'accept', content }
}

async function askField(
  name: string,
  field: Field,
  isRequired: boolean,
  signal: AbortSignal,
): Promise<Answer | undefined> {
  const says = field.description === undefined ? '' : ` (${printable(field.description)})`
  const message = `${printable(field.title ?? name)}${says}`
  const question = { message, instead: INSTEAD, signal }
  if (field.type === 'boolean') return confirm(question)
  if (field.type === 'array') {
    const { items } = field
    const choices =
      'anyOf' in items
        ? items.anyOf.map(({ const: value, title }) => ({ value, label: printable(title) }))
        : items.enum.map((value) => ({ value, label: printable(value) }))
    return chooseSeveral(question, choices, field.default ?? [])
  }
  const choices = choicesOf(field)
  if (choices !== undefined) return chooseOne(question, choices)
  const isNumber = field.type === 'number' || field.type === 'integer'
  const fault = (text: string) => {
    if (text === '') return isRequired ? 'The server needs an answer. Press Ctrl-C to give up.' : undefined
    if (!isNumber) return undefined
    const isGood = field.type === 'integer' ? Number.isInteger(Number(text)) : Number.isFinite(Number(text))
    return isGood ? undefined : `Type a ${field.type === 'integer' ? 'whole ' : ''}number.`
  }
  const text = await askText(question, { initial: printable(String(field.default ?? '')), fault })
  if (text === '' && !isRequired) return undefined
  return isNumber ? Number(text) : text
}

function choicesOf(field: Field): { value: string; label: string }[] | undefined {
  if ('oneOf' in field) return field.oneOf.map(({ const: value, title }) => ({ value, label: printable(title) }))
  if (!('enum' in field)) return undefined
  const names = 'enumNames' in field ? (field.enumNames ?? []) : []
  return field.enum.map((value, at) => ({ value, label: printable(names[at] ?? value) }))
}
