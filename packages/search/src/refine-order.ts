import type { QueryWord } from './query-words.ts'
import { CONTENT, type SearchIndex } from './search-index.ts'

/** How well a record matches, before the fine ranking. */
export interface Rank {
  number: number
  /** Share of the query that the record lacks, from 0 to 1. */
  missed: number
  typos: number
  attributes: number
}

/** Keys are whole numbers below 2^53, less is better: missed, errors, attributes, fine rank, number of the record. */
const PLACES = 2 ** 20
const FINE = 2 ** 15

/** Collects keys without allocating an object for each record. */
export function createKeyring(capacity: number) {
  const keys = new Float64Array(capacity)
  let size = 0
  return {
    size: () => size,
    keys: () => keys.subarray(0, size),
    add: ({ number, missed, typos, attributes }: Rank) => {
      const coarse = (Math.round(missed * 127) * 32 + Math.min(typos, 31)) * 64 + Math.min(attributes, 63)
      keys[size++] = coarse * FINE * PLACES + number
    },
  }
}

const FAR = 7
/** The number of best records that are ranked finely: five screens of hits. */
const REFINED = 100

/** Numbers of records by the coarse rank, then by nearness of the words, whole words, short headings, level, page, place. */
export function refineOrder(index: SearchIndex, words: readonly QueryWord[], keys: Float64Array): Float64Array {
  const sorted = keys.toSorted()
  const read = createReader(index, words)
  const found = new Uint16Array(index.records.length)
  for (const key of sorted) {
    const page = index.pages[key % PLACES] ?? 0
    found[page] = (found[page] ?? 0) + 1
  }
  const best = sorted.subarray(0, REFINED)
  for (let at = 0; at < best.length; at++) {
    const key = best[at] ?? 0
    const number = key % PLACES
    // Of records that are equally good, first the one whose page has most about it.
    const scarcity = 3 - Math.min(3, Math.floor(Math.log2(found[index.pages[number] ?? 0] ?? 1)))
    best[at] = key + (read(number) * 4 + scarcity) * PLACES
  }
  best.sort()
  return sorted.map((key) => key % PLACES)
}

/** Reads the terms of a record once and tells how well they fit, in 13 bits. */
function createReader(index: SearchIndex, words: readonly QueryWord[]): (number: number) => number {
  // For each term the word of the query that it stands for, counted from 1, and whether it is the whole word.
  const wordOf = new Uint8Array(index.vocabulary.terms.length)
  const isWhole = new Uint8Array(wordOf.length)
  for (const [at, { matches, joined }] of words.entries()) {
    for (const { term, isWhole: whole, typos } of [...matches, ...joined]) {
      if (wordOf[term] === 0) wordOf[term] = at + 1
      if (whole && typos === 0) isWhole[term] = 1
    }
  }
  const gaps = new Uint8Array(words.length + 2)
  return (number) => {
    const own = index.own[number] ?? CONTENT
    let whole = 0
    gaps.fill(FAR)
    for (const terms of index.terms[number] ?? []) whole |= readGaps(terms, { wordOf, isWhole, gaps })
    const length = own === CONTENT ? FAR : Math.max(0, (index.terms[number]?.[own]?.length ?? 0) - words.length)
    let nearness = 0
    for (let word = 2; word <= words.length; word++) nearness += gaps[word] ?? FAR
    const unwhole = words.length - countBits(whole)
    return ((Math.min(nearness, 31) * 4 + Math.min(unwhole, 3)) * 8 + Math.min(length, 7)) * 8 + own
  }
}

interface Notes {
  wordOf: Uint8Array
  isWhole: Uint8Array
  /** For each word of the query, the smallest distance to the word before it. */
  gaps: Uint8Array
}

/** Notes the gaps and answers with the set of words that stand in the terms as they are. */
function readGaps(terms: Int32Array, { wordOf, isWhole, gaps }: Notes): number {
  let whole = 0
  let last: number[] | undefined
  for (let at = 0; at < terms.length; at++) {
    const term = terms[at] ?? 0
    const word = wordOf[term] ?? 0
    if (word === 0) continue
    if (isWhole[term] === 1) whole |= 1 << word
    last ??= []
    last[word] = at
    const [before, after] = [last[word - 1], last[word + 1]]
    // In the order of the query the distance counts as it is, the other way round as one more.
    if (before !== undefined) gaps[word] = Math.min(gaps[word] ?? FAR, at - before - 1)
    if (after !== undefined) gaps[word + 1] = Math.min(gaps[word + 1] ?? FAR, at - after)
  }
  return whole
}

function countBits(bits: number): number {
  let count = 0
  for (let rest = bits; rest !== 0; rest &= rest - 1) count++
  return count
}
