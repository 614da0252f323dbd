import type { ImageServer } from '@toolhaven/contract/registry-document'
import type { ServerArgument } from '@toolhaven/contract/server-json'
import { fillIn, isRequired } from './fill-in.ts'

/** The command line of a server. Where a value is missing that only a person knows, a run has to give all of it. */
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

/** A name that takes no value, such as --stdio. One that may take a value says something about it. */
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
