import { type QueryWord, readQuery } from './query-words.ts'
import { createKeyring, refineOrder } from './refine-order.ts'
import { CONTENT, type SearchIndex } from './search-index.ts'
import type { Match } from './vocabulary.ts'

export interface Found {
  words: readonly QueryWord[]
  /** Numbers of records, best first, each address once. */
  numbers: number[]
}

/** By attribute, to which the beginning of a longer word adds one: titles first, then ever deeper headings, then the name of the section, then text. */
const ATTRIBUTE_RANK = Uint8Array.of(4, 0, 1, 2, 3, 3, 3, 5)
const NOTHING = 255
/** In a query of three or more words, one that no record has together with the others must not hide all results. */
const MAY_MISS = 0.34
/** The share of a missing word that counts if the page has the word elsewhere. */
const ELSEWHERE = 0.5
/** With fewer records that have enough of the query, those that have less of it follow. */
const ENOUGH = 12

/**
 * Finds records for a query among those that `allowed` marks with 1. Ranked by words matched (rare ones weigh more),
 * typing errors, attribute, then what refineOrder adds. A record counts only if a word stands in its own text: what it
 * inherits is found at its heading.
 */
export function search(index: SearchIndex, query: string, allowed: Uint8Array): Found {
  const words = readQuery(index.vocabulary, query)
  if (words.length === 0) return { words, numbers: distinct(index, browse(index, allowed)) }
  // For each word and record, the best match: errors times eight plus the rank of the attribute.
  const codes = words.map(() => new Uint8Array(index.records.length).fill(NOTHING))
  const isOwn = new Uint8Array(index.records.length)
  for (const [at, word] of words.entries()) {
    for (const match of word.matches) spread(index, match, codes.slice(at, at + 1), isOwn)
    for (const match of word.joined) spread(index, match, codes.slice(at - 1, at + 1), isOwn)
  }
  for (let number = 0; number < isOwn.length; number++) if (allowed[number] !== 1) isOwn[number] = 0
  const keys = rank(index, codes, isOwn, words.length > 2 ? MAY_MISS : 0)
  return { words, numbers: distinct(index, refineOrder(index, words, keys)) }
}

function spread(
  index: SearchIndex,
  { term, typos, isWhole }: Match,
  codes: readonly Uint8Array[],
  isOwn: Uint8Array,
): void {
  const postings = index.postings[term] ?? new Int32Array(0)
  for (let at = 0; at < postings.length; at++) {
    const posting = postings[at] ?? 0
    const number = posting >> 3
    const attribute = posting & 7
    const code = typos * 8 + (ATTRIBUTE_RANK[attribute] ?? 0) + (isWhole ? 0 : 1)
    for (const best of codes) if (code < (best[number] ?? NOTHING)) best[number] = code
    const own = index.own[number] ?? CONTENT
    if (attribute === own || (own === 1 && attribute === 0)) isOwn[number] = 1
  }
}

/** The keys of the records that have enough of the query; where few have, of all that have any of it. */
function rank(
  { records, pages }: SearchIndex,
  codes: readonly Uint8Array[],
  isOwn: Uint8Array,
  mayMiss: number,
): Float64Array {
  const weights = codes.map((code) => Math.log(1 + isOwn.length / (1 + countMatched(code))))
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  const onPage = codes.map((code) => {
    const has = new Uint8Array(isOwn.length)
    for (let number = 0; number < isOwn.length; number++)
      if (isOwn[number] === 1 && (code[number] ?? NOTHING) < 8) has[pages[number] ?? 0] = 1
    return has
  })
  const complete = createKeyring(isOwn.length)
  const partial = createKeyring(isOwn.length)
  for (let number = 0; number < isOwn.length; number++) {
    if (isOwn[number] !== 1) continue
    let [missed, typos] = [0, 0]
    // Ranks each word two levels deeper.
    let attributes = records[number]?.ranksLate === true ? 2 * codes.length : 0
    for (let at = 0; at < codes.length; at++) {
      const code = codes[at]?.[number] ?? NOTHING
      if (code === NOTHING) {
        const share = onPage[at]?.[pages[number] ?? 0] === 1 ? ELSEWHERE : 1
        missed += (share * (weights[at] ?? 0)) / total
      } else {
        typos += code >> 3
        attributes += code & 7
      }
    }
    const ring = missed <= mayMiss ? complete : partial
    ring.add({ number, missed, typos, attributes })
  }
  return complete.size() >= ENOUGH ? complete.keys() : Float64Array.of(...complete.keys(), ...partial.keys())
}

function countMatched(code: Uint8Array): number {
  let count = 0
  for (let at = 0; at < code.length; at++) if (code[at] !== NOTHING) count++
  return count
}

/** Without a query, returns pages from all sections in turn, so that the first few give an overview. */
function browse({ records }: SearchIndex, allowed: Uint8Array): number[] {
  const turns = new Map<string | null, number>()
  const pages: Array<{ number: number; turn: number }> = []
  for (const [number, { type, hierarchy }] of records.entries()) {
    if (type !== 'lvl1' || allowed[number] !== 1) continue
    const turn = turns.get(hierarchy.lvl0) ?? 0
    turns.set(hierarchy.lvl0, turn + 1)
    pages.push({ number, turn })
  }
  return pages.toSorted((a, b) => a.turn - b.turn).map(({ number }) => number)
}

function distinct({ places }: SearchIndex, numbers: ArrayLike<number>): number[] {
  const seen = new Uint8Array(places.length)
  const kept: number[] = []
  for (let at = 0; at < numbers.length; at++) {
    const number = numbers[at] ?? 0
    const place = places[number] ?? 0
    if (seen[place] === 0) kept.push(number)
    seen[place] = 1
  }
  return kept
}
