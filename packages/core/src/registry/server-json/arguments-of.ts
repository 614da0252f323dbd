import type { ImageServer } from '@toolhaven/contract/registry-document'
import type { ServerArgument } from '@toolhaven/contract/server-json'
import { fillIn, isRequired } from './fill-in.ts'

/** The command line of a server. If it needs a value that only a person knows, a run must pass all arguments. */
export function argumentsOf(all: readonly ServerArgument[]): Pick<ImageServer, 'args' | 'args_needed'> {
  const lines = all.map(wordsOf)
  const words = lines.flatMap((line) => line.words)
  if (words.length === 0) return {}
  return lines.some((line) => line.isMissing) ? { args_needed: words } : { args: words }
}

interface Words {
  words: string[]
  isMissing?: boolean
}

function wordsOf(argument: ServerArgument): Words {
  const { type, valueHint } = argument
  const name = type === 'named' ? (argument.name ?? '') : ''
  const before = name === '' ? [] : [name]
  const filledIn = fillIn(argument)
  if (filledIn?.missing.length === 0) return { words: [...before, filledIn.text] }
  if (filledIn === undefined && isSwitch(argument)) return { words: before }
  if (!isRequired(argument, filledIn)) return { words: [] }
  const hint = valueHint || name.replace(/^-+/, '') || 'value'
  return { words: [...before, filledIn?.text ?? `<${hint}>`], isMissing: true }
}

/** An option without a value, such as --stdio. Options that take a value describe it. */
function isSwitch({
  type,
  isRequired: required,
  format,
  description,
  placeholder,
  valueHint,
  choices,
}: ServerArgument) {
  if (type !== 'named') return false
  if (format === 'boolean') return required === true
  return !required && !format && !description && !placeholder && !valueHint && !choices?.length
}
