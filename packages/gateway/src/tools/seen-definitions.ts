import { createHash } from 'node:crypto'
import { unavailable } from '@toolhaven/core/errors'
import type { SeenDefinitions } from '@toolhaven/core/ports/gateway'
import type { LockedDefinition } from '@toolhaven/core/ports/stores'
import { canonicalText } from './canonical-text.ts'
import { keyOf, type LockedList } from './locked-lists.ts'

/** A server with more than anybody could look through must not fill the memory or the disk. */
const MOST = 5_000
const MOST_CHARACTERS = 8 * 1024 * 1024

/**
 * A server's whole list, for comparing with another. Where a name appears twice, both definitions together count as
 * one.
 */
export function seenDefinitions(list: LockedList, all: readonly unknown[]): SeenDefinitions {
  if (all.length > MOST) throw tooMuch(list.noun, `it has more than ${MOST} ${list.noun}s`)
  const byName = new Map<string, Set<string>>()
  let characters = 0
  for (const definition of all) {
    const name = keyOf(list, definition)
    if (name === undefined) continue
    const text = canonicalText(definition)
    characters += text.length
    if (characters > MOST_CHARACTERS) throw tooMuch(list.noun, `the definitions of its ${list.noun}s are too long`)
    byName.set(name, (byName.get(name) ?? new Set()).add(text))
  }
  const definitions = [...byName]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, texts]): LockedDefinition => {
      const [only = ''] = texts
      const definition = texts.size === 1 ? only : `[${[...texts].join(',')}]`
      return { name, hash: sha256(definition), definition }
    })
  return withRevision(definitions)
}

/** A server either sends instructions or does not, so they are a list of one or none. */
export function seenInstructions(instructions: unknown): SeenDefinitions {
  // Some servers write null for none. Stateless clients do not even see it.
  if (instructions === undefined || instructions === null) return withRevision([])
  const definition = canonicalText({ instructions })
  if (definition.length > MOST_CHARACTERS) return withRevision([{ ...TOO_LONG, hash: sha256(definition) }])
  return withRevision([{ name: INSTRUCTIONS, hash: sha256(definition), definition }])
}

export const INSTRUCTIONS = 'instructions'
const TOO_LONG = { name: INSTRUCTIONS, definition: '{"instructions":"They are too long to be shown."}' }

export function definitionHash(definition: unknown): string {
  return sha256(canonicalText(definition))
}

function withRevision(definitions: LockedDefinition[]): SeenDefinitions {
  return { revision: sha256(definitions.map(({ hash }) => hash).join('\n')), definitions }
}

function sha256(text: string): string {
  return createHash('sha256').update(text.toWellFormed()).digest('hex')
}

function tooMuch(noun: string, what: string) {
  return unavailable(`The ${noun}s of this server cannot be watched: ${what}.`)
}
