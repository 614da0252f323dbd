import type { ManifestChange } from '@toolhaven/contract/manifest'
import type { Output } from '../output/output.ts'
import { printable } from '@toolhaven/contract/visible-text'

const MARKS = { create: '+', update: '~', replace: '±', start: '>', remove: '-' } as const

/** Prints one line for each change, with its fields below. */
export function showChanges(out: Output, changes: readonly ManifestChange[], write: (line: string) => void): void {
  const paint = { '+': out.colour.green, '-': out.colour.red } as const
  for (const { action, kind, name, fields } of changes) {
    const mark = MARKS[action]
    const line = `${mark} ${action} ${kind} ${printable(name)}`
    write(mark === '+' || mark === '-' ? paint[mark](line) : line)
    for (const { field, ...values } of fields) write(`    ${printable(`${field}${valuesOf(values)}`)}`)
  }
}

function valuesOf(values: { from?: unknown; to?: unknown }): string {
  const [from, to] = [spelled(values.from), spelled(values.to)]
  if (from === undefined && to === undefined) return ' (value not shown)'
  if (from === undefined) return `: ${to}`
  return to === undefined ? `: ${from} → left out` : `: ${from} → ${to}`
}

const spelled = (value: unknown) => (typeof value === 'string' || value === undefined ? value : JSON.stringify(value))
