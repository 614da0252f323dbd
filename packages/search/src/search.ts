import { CONTENT, type SearchIndex } from './search-index.ts'
import { type QueryWord, readQuery } from './query-words.ts'
import type { SearchRecord } from './record.ts'
import { type Ranked, refineOrder } from './refine-order.ts'

export interface Found {
  words: readonly QueryWord[]
  /** Numbers of records, best first, each address once. */
  numbers: number[]
}

/** By attribute: titles first, then ever deeper headings, then the name of the section, then text. */
const ATTRIBUTE_RANK = [4, 0, 1, 2, 3, 3, 3, 5]
const NOTHING = 255
/** Typing errors weigh more than the attribute: a word is coded as errors times eight plus rank. */
const MAX_TYPOS = 30
/** In a question of three words or more, one that no record has beside the others must not hide them all. */
const MAY_MISS = 0.34

/**
 * Finds records for a query. Ranked by words matched (rare ones weigh more), typing errors, attribute, then what
 * refineOrder adds. A record counts only if a word stands in its own text: what it inherits is found at its heading.
 */
export function search(index: SearchIndex, query: string, passes: (record: SearchRecord) => boolean): Found {
  const words = readQuery(index.vocabulary, query)
  if (words.length === 0)
    return {
      words,
      numbers: distinct(
        index,
        browse(index).filter((number) => passesAt(index, number, passes)),
      ),
    }
  const codes = words.map(() => new Uint8Array(index.records.length).fill(NOTHING))
  const isOwn = new Uint8Array(index.records.length)
  for (const [at, word] of words.entries()) {
    const slots = (own: readonly number[]) => own.flatMap((slot) => codes[slot] ?? [])
    for (const match of word.matches) spread(index, { match, codes: slots([at]) }, isOwn)
    for (const match of word.joined) spread(index, { match, codes: slots([at - 1, at]) }, isOwn)
  }
  const keys = rank(index, codes, isOwn).filter(({ number }) => passesAt(index, number, passes))
  const complete = keys.filter(({ missed }) => missed <= (words.length > 2 ? MAY_MISS : 0))
  const chosen = complete.length > 0 ? complete : keys
  return { words, numbers: distinct(index, refineOrder(index, words, chosen)) }
}

function spread(
  index: SearchIndex,
  { match, codes }: { match: { term: number; typos: number }; codes: readonly Uint8Array[] },
  isOwn: Uint8Array,
): void {
  for (const posting of index.postings[match.term] ?? []) {
    const number = posting >> 3
    const attribute = posting & 7
    const code = match.typos * 8 + (ATTRIBUTE_RANK[attribute] ?? 0)
    for (const best of codes) if (code < (best[number] ?? NOTHING)) best[number] = code
    const own = index.own[number] ?? CONTENT
    if (attribute === own || (own === 1 && attribute === 0)) isOwn[number] = 1
  }
}

function rank(index: SearchIndex, codes: readonly Uint8Array[], isOwn: Uint8Array): Ranked[] {
  const weights = codes.map((code) => Math.log(1 + index.records.length / (1 + countMatched(code))))
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  const ranked: Ranked[] = []
  for (let number = 0; number < isOwn.length; number++) {
    if (isOwn[number] !== 1) continue
    let [missed, typos, attributes] = [0, 0, 0]
    for (let at = 0; at < codes.length; at++) {
      const code = codes[at]?.[number] ?? NOTHING
      if (code === NOTHING) missed += weights[at] ?? 0
      else {
        typos += code >> 3
        attributes += code & 7
      }
    }
    ranked.push({ number, missed: missed / total, typos: Math.min(typos, MAX_TYPOS), attributes })
  }
  return ranked
}

function countMatched(code: Uint8Array): number {
  let count = 0
  for (const value of code) if (value !== NOTHING) count++
  return count
}

/** Without a query: the pages, taking turns between the sections, so that the first few show what there is. */
function browse({ records }: SearchIndex): number[] {
  const pages = [...records.keys()].filter((number) => records[number]?.type === 'lvl1')
  const turns = new Map<string | null, number>()
  return pages
    .map((number) => {
      const section = records[number]?.hierarchy.lvl0 ?? null
      const turn = turns.get(section) ?? 0
      turns.set(section, turn + 1)
      return { number, turn }
    })
    .toSorted((a, b) => a.turn - b.turn)
    .map(({ number }) => number)
}

function distinct({ places }: SearchIndex, numbers: readonly number[]): number[] {
  const seen = new Set<number>()
  return numbers.filter((number) => {
    const place = places[number] ?? -1
    return seen.has(place) ? false : seen.add(place)
  })
}

function passesAt({ records }: SearchIndex, number: number, passes: (record: SearchRecord) => boolean): boolean {
  const record = records[number]
  return record !== undefined && passes(record)
}
