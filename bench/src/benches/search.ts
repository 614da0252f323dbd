import { readFile } from 'node:fs/promises'
import { createFilters } from '@toolhaven/search/facets'
import type { SearchRecord } from '@toolhaven/search/record'
import { search as find } from '@toolhaven/search/search'
import { createSearchIndex } from '@toolhaven/search/search-index'
import { type Bench, type Figure, lessIsBetter } from '../figure.ts'
import { summarise } from '../rig/statistics.ts'

const RECORDS = new URL('../../../apps/website/build/.records.json', import.meta.url)
const ROUNDS = 10

/** Times the engine of the embedded search on the records of the built site, against reading through all text. */
export const search: Bench = {
  name: 'search',
  title: 'The embedded search engine on the documentation against a plain scan of its text',
  run: async () => {
    const text = await readFile(RECORDS, 'utf8').catch(() => undefined)
    if (text === undefined) throw new Error('there is no built site to search in: run npm run build:site')
    const records: SearchRecord[] = JSON.parse(text)
    const index = createSearchIndex(records)
    const allowed = createFilters(records)(['language:en'])
    const texts = records.map(({ hierarchy, content }) =>
      [...Object.values(hierarchy), content].join(' ').toLowerCase(),
    )
    const queries = queriesOf(records)
    const engine = (query: string) => find(index, query, allowed).numbers.length
    const scan = (query: string) => texts.filter((each) => query.split(' ').every((word) => each.includes(word))).length
    measure(queries.typed, [engine, scan]) // until both are compiled
    return Object.entries(queries).flatMap(([name, all]) => figures(name, all, [engine, scan]))
  },
}

type Contender = (query: string) => number

function figures(name: string, queries: readonly string[], contenders: readonly [Contender, Contender]): Figure[] {
  const [ours, scan] = measure(queries, contenders).map(summarise)
  if (ours === undefined || scan === undefined) throw new Error('nothing was measured')
  const target = { of: 'ours', below: 1 } as const
  return [
    lessIsBetter({ name: `${name}, p50`, unit: 'ms', ours: ours.p50, baseline: scan.p50, target }),
    lessIsBetter({ name: '  p99', unit: 'ms', ours: ours.p99, baseline: scan.p99 }),
  ]
}

/** Milliseconds of every call, for each contender, in turns. */
function measure(queries: readonly string[], contenders: readonly Contender[]): number[][] {
  const times: number[][] = contenders.map(() => [])
  for (let round = 0; round < ROUNDS; round++) {
    for (const query of queries) {
      for (const [at, contender] of contenders.entries()) {
        const startedAt = performance.now()
        contender(query)
        times[at]?.push(performance.now() - startedAt)
      }
    }
  }
  return times
}

/** The titles of all pages: as they are, with one letter missing, and the first letters as they are typed. */
function queriesOf(records: readonly SearchRecord[]): Record<'typed' | 'with an error' | 'first letters', string[]> {
  const typed = records.flatMap(({ type, hierarchy }) => (type === 'lvl1' ? (hierarchy.lvl1?.toLowerCase() ?? []) : []))
  return {
    typed,
    'with an error': typed.map((title) => title.slice(0, title.length - 3) + title.slice(title.length - 2)),
    'first letters': typed.map((title) => title.slice(0, 3)),
  }
}
