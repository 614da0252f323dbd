import type { ToolLock } from '@toolhaven/contract/tools'
import * as z from 'zod'

const definition = z.object({ description: z.string().optional() })

export interface ListedTool {
  name: string
  description: string
  /** What its definition costs in each conversation, as an estimate: four characters make about one token. */
  tokens: number
}

export function listTools(locked: ToolLock['tools']): ListedTool[] {
  return locked
    .filter(({ state }) => state !== 'removed')
    .map(({ name, definition: raw }) => ({
      name,
      description: definition.safeParse(raw).data?.description ?? '',
      tokens: Math.ceil(JSON.stringify(raw ?? '').length / 4),
    }))
}

/** The filter that leaves just these tools; none: every tool, also those that come later. */
export function filterFor(all: readonly string[], on: ReadonlySet<string>): string[] {
  return all.every((name) => on.has(name)) ? [] : all.filter((name) => on.has(name))
}
