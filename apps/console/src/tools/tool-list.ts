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

export interface ToolPlan {
  on: readonly string[]
  added: readonly string[]
  removed: readonly string[]
  /** The filter to apply; none: every tool, also those that come later. */
  filter: string[]
}

/**
 * What the tools become, from the filter in force and what was toggled since. A tool that appears meanwhile is as the
 * filter in force says, and no change. Names of the filter that the server does not offer now stay in it.
 */
export function planTools(all: readonly string[], filter: readonly string[], toggled: ReadonlySet<string>): ToolPlan {
  const isOnNow = (name: string) => filter.length === 0 || filter.includes(name)
  const on = all.filter((name) => isOnNow(name) !== toggled.has(name))
  const changed = all.filter((name) => toggled.has(name))
  const absent = filter.filter((name) => !all.includes(name))
  return {
    on,
    added: changed.filter((name) => !isOnNow(name)),
    removed: changed.filter(isOnNow),
    filter: on.length === all.length ? [] : [...absent, ...on],
  }
}
