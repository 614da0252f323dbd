import { notFound } from '@toolhaven/core/errors'
import { suggestion } from '../output/did-you-mean.ts'

export interface Choice {
  /** The beginning of the error, before the name: "no client starts a server called". */
  missing: string
  /** What to do, as a sentence with a command. */
  next: string
}

/** Picks the items with the given names, in their order. Throws for an unknown name. */
export function chooseNamed<Named extends { name: string }>(
  all: readonly Named[],
  wanted: readonly string[],
  { missing, next }: Choice,
): Named[] {
  const names = all.map(({ name }) => name)
  return [...new Set(wanted)].map((name) => {
    const found = all.find((each) => each.name === name)
    if (found) return found
    const there = names.length > 0 ? `There ${names.length === 1 ? 'is' : 'are'}: ${names.join(', ')}.` : ''
    throw notFound(
      [`${missing} ${name}`, `${suggestion([name], names)}${there}`.trim(), next].filter(Boolean).join('\n'),
    )
  })
}

export const ADOPTABLE: Choice = {
  missing: 'no client has a server of its own called',
  next: '"thv adopt --dry-run" shows which servers clients have. A server that no client has is run with "thv run".',
}

export const ADOPTED: Choice = {
  missing: 'nothing was adopted under the name',
  next: '"thv adopt --dry-run" also shows what was adopted before.',
}
