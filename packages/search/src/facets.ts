import type { SearchRecord } from './record.ts'

/** A filter in the format of hosted search: a list means AND, a list in it OR, a leading minus NOT. */
export type FacetFilters = string | ReadonlyArray<string | readonly string[]>

const FACETS: Readonly<Record<string, (record: SearchRecord) => string | null>> = {
  language: (record) => record.language,
  docusaurus_tag: (record) => record.docusaurus_tag,
  version: (record) => record.version,
  type: (record) => record.type,
  'hierarchy.lvl0': (record) => record.hierarchy.lvl0,
}

/** Marks the records that pass with 1. Caches the last few filters, because a site uses only one or two. */
export function createFilters(records: readonly SearchRecord[]): (filters: FacetFilters) => Uint8Array {
  const known = new Map<string, Uint8Array>()
  return (filters) => {
    const key = JSON.stringify(filters)
    const passes = createFilter(filters)
    const allowed = known.get(key) ?? Uint8Array.from(records, (record) => (passes(record) ? 1 : 0))
    if (known.size >= MAX_KNOWN) known.clear()
    known.set(key, allowed)
    return allowed
  }
}

const MAX_KNOWN = 16

/** Whether a record passes. A filter on an unknown facet lets nothing pass. */
function createFilter(filters: FacetFilters): (record: SearchRecord) => boolean {
  const all = (typeof filters === 'string' ? [filters] : filters).map((group) =>
    (typeof group === 'string' ? [group] : group).map(parseTerm),
  )
  return (record) => all.every((any) => any.length === 0 || any.some((term) => passes(term, record)))
}

/** Counts the records for each value of the requested facets. */
export function countFacets(
  records: readonly SearchRecord[],
  names: readonly string[],
): Record<string, Record<string, number>> {
  const wanted = names.includes('*') ? Object.keys(FACETS) : names.filter((name) => Object.hasOwn(FACETS, name))
  return Object.fromEntries(
    wanted.map((name) => {
      const groups = Map.groupBy(records, (record) => FACETS[name]?.(record) ?? '')
      return [name, Object.fromEntries([...groups].map(([value, members]) => [value, members.length]))]
    }),
  )
}

interface Term {
  facet: string
  value: string
  isNegated: boolean
}

function parseTerm(text: string): Term {
  const colon = text.indexOf(':')
  const facet = colon < 0 ? text : text.slice(0, colon)
  const value = colon < 0 ? '' : text.slice(colon + 1)
  // A leading minus negates. A minus that belongs to the value is escaped with a backslash.
  if (value.startsWith('-')) return { facet, value: value.slice(1), isNegated: true }
  return { facet, value: value.replace(/^\\-/, '-'), isNegated: false }
}

function passes({ facet, value, isNegated }: Term, record: SearchRecord): boolean {
  const read = Object.hasOwn(FACETS, facet) ? FACETS[facet] : undefined
  return read !== undefined && (read(record) === value) !== isNegated
}
