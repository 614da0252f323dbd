import type { ChangedField, ToolChange } from '@toolhaven/contract/tools'
import type { Output } from '../output/output.ts'
import { printable } from '@toolhaven/contract/visible-text'

/** How much unchanged text is shown on either side of a change. */
const CONTEXT = 60

/** One block for each tool, prompt, …, with one line for each changed value. */
export function showChanges(out: Output, changes: readonly ToolChange[]): void {
  const { colour } = out
  const heads = { changed: colour.yellow('changed'), added: colour.green('added'), removed: colour.red('removed') }
  for (const [at, { part, name, kind, fields }] of changes.entries()) {
    if (at > 0) out.line('')
    out.line(`${NOUNS[part]}${colour.bold(printable(name))}: ${heads[kind]}`)
    // The fields of a removed item are of no use to the reader.
    if (kind !== 'removed')
      for (const field of fields) out.line(`  ${printable(field.field)}: ${shownParts(out, field)}`)
  }
}

/** Tools are shown by their bare names, because nearly all changes are changes of tools. */
const NOUNS = { tool: '', prompt: 'prompt ', resource_template: 'resource template ', instructions: '' } as const

function shownParts({ colour, isTerminal }: Output, { parts }: ChangedField): string {
  const hasColour = isTerminal && colour.red('') !== ''
  return parts
    .map(({ kind, text }, at) => {
      // The daemon escaped the hidden characters that it knows. `printable` catches the rest.
      const safe = printable(text)
      if (kind === 'same') return shortened(safe, at === 0, at === parts.length - 1)
      if (hasColour) return kind === 'removed' ? colour.red(safe) : colour.green(safe)
      return kind === 'removed' ? `[-${safe}-]` : `{+${safe}+}`
    })
    .join('')
}

function shortened(text: string, isFirst: boolean, isLast: boolean): string {
  const before = isFirst ? '' : text.slice(0, CONTEXT)
  const after = isLast ? '' : text.slice(-CONTEXT)
  return text.length <= before.length + after.length ? text : `${before} … ${after}`
}
