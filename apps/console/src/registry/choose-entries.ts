import type { ImageServer, RemoteServer } from '@toolhaven/contract/registry-document'
import * as z from 'zod'

export type RegistryEntry = ImageServer | RemoteServer

export const REGISTRY_SEARCH = z.object({
  q: z.string().optional().catch(undefined),
  tier: z.enum(['Official', 'Community']).optional().catch(undefined),
})
export type RegistrySearch = z.infer<typeof REGISTRY_SEARCH>

/** The entries that have every word somewhere; those whose name has the first word come first. */
export function chooseEntries(all: readonly RegistryEntry[], { q = '', tier }: RegistrySearch): RegistryEntry[] {
  const words = q.toLowerCase().split(/\s+/).filter(Boolean)
  const found = all.filter((entry) => {
    const text = [entry.name, entry.description, ...(entry.tags ?? []), ...entry.tools].join(' ').toLowerCase()
    return (tier === undefined || entry.tier === tier) && words.every((word) => text.includes(word))
  })
  const hasInName = ({ name = '' }: RegistryEntry) => name.toLowerCase().includes(words[0] ?? '')
  return found.toSorted((one, other) => Number(hasInName(other)) - Number(hasInName(one)))
}
