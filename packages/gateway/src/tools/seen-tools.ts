import { createHash } from 'node:crypto'
import { unavailable } from '@toolhaven/core/errors'
import type { SeenTools } from '@toolhaven/core/ports/gateway'
import type { LockedTool } from '@toolhaven/core/ports/stores'
import { isObject } from '../json-rpc.ts'
import { canonicalText } from './canonical-text.ts'

/** A server with more than anybody could look through must fill neither the memory nor the disk. */
const MOST_TOOLS = 5_000
const MOST_CHARACTERS = 8 * 1024 * 1024

/** A server's whole list, for comparing with another. Where a name stands twice, what it means is both together. */
export function seenTools(list: readonly unknown[]): SeenTools {
  if (list.length > MOST_TOOLS) throw tooMuch(`it has more than ${MOST_TOOLS} tools`)
  const byName = new Map<string, Set<string>>()
  let characters = 0
  for (const tool of list) {
    const name = nameOf(tool)
    if (name === undefined) continue
    const text = canonicalText(tool)
    characters += text.length
    if (characters > MOST_CHARACTERS) throw tooMuch('the definitions of its tools are too long')
    byName.set(name, (byName.get(name) ?? new Set()).add(text))
  }
  const tools = [...byName]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, texts]): LockedTool => {
      const [only = ''] = texts
      const definition = texts.size === 1 ? only : `[${[...texts].join(',')}]`
      return { name, hash: sha256(definition), definition }
    })
  return { revision: sha256(tools.map(({ hash }) => hash).join('\n')), tools }
}

export function nameOf(tool: unknown): string | undefined {
  return isObject(tool) && typeof tool['name'] === 'string' ? tool['name'] : undefined
}

export function toolHash(tool: unknown): string {
  return sha256(canonicalText(tool))
}

function sha256(text: string): string {
  return createHash('sha256').update(text.toWellFormed()).digest('hex')
}

function tooMuch(what: string) {
  return unavailable(`The tools of this server cannot be watched: ${what}.`)
}
