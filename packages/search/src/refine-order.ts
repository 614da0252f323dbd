import type { QueryWord } from './query-words.ts'
import { CONTENT, type SearchIndex } from './search-index.ts'

export interface Ranked {
  number: number
  /** Share of the query that the record lacks, from 0 to 1. */
  missed: number
  typos: number
  attributes: number
}

const FAR = 7
/** The fine order is worked out for this many of the best; nobody pages further with the coarse one unnoticed. */
const REFINED = 300

/** Orders by the coarse rank, then by nearness of the words, whole words, short headings, level, and place. */
export function refineOrder(index: SearchIndex, words: readonly QueryWord[], ranked: readonly Ranked[]): number[] {
  const coarse = Float64Array.from(ranked, ({ number, missed, typos, attributes }) =>
    pack([Math.round(missed * 127), 7], [typos, 5], [attributes, 6], [0, 13], [number, PLACE_BITS]),
  ).toSorted()
  const reader = createReader(index, words)
  const fine = coarse.slice(0, REFINED)
  for (const [at, key] of fine.entries()) fine[at] = key + reader(key % PLACES) * PLACES
  return [...fine.toSorted(), ...coarse.slice(REFINED)].map((key) => key % PLACES)
}

/** Keys are whole numbers below 2^53: coarse rank, fine rank, number of the record. */
const PLACE_BITS = 20
const PLACES = 2 ** PLACE_BITS

function pack(...fields: ReadonlyArray<readonly [value: number, bits: number]>): number {
  return fields.reduce((key, [value, bits]) => key * 2 ** bits + Math.min(value, 2 ** bits - 1), 0)
}

/** Reads the terms of a record once and tells how well they fit, in 13 bits; less is better. */
function createReader(index: SearchIndex, words: readonly QueryWord[]): (number: number) => number {
  const wordOf = new Map<number, number>()
  const isWhole = new Set<number>()
  for (const [at, { matches, joined }] of words.entries()) {
    for (const { term, isWhole: whole, typos } of [...matches, ...joined]) {
      if (!wordOf.has(term)) wordOf.set(term, at)
      if (whole && typos === 0) isWhole.add(term)
    }
  }
  return (number) => {
    const own = index.own[number] ?? CONTENT
    const whole = new Set<number>()
    const gaps = words.map(() => FAR)
    for (const terms of index.terms[number] ?? []) noteGaps(terms, { wordOf, isWhole, whole, gaps })
    const length = own === CONTENT ? FAR : Math.max(0, (index.terms[number]?.[own]?.length ?? 0) - words.length)
    const nearness = gaps.slice(1).reduce((sum, gap) => sum + gap, 0)
    return pack([nearness, 5], [words.length - whole.size, 2], [length, 3], [own, 3])
  }
}

interface Notes {
  wordOf: ReadonlyMap<number, number>
  isWhole: ReadonlySet<number>
  whole: Set<number>
  /** For each word of the query, how far behind the word before it stands at best. */
  gaps: number[]
}

function noteGaps(terms: Int32Array, { wordOf, isWhole, whole, gaps }: Notes): void {
  const last: number[] = []
  for (let at = 0; at < terms.length; at++) {
    const term = terms[at] ?? -1
    const word = wordOf.get(term)
    if (word === undefined) continue
    if (isWhole.has(term)) whole.add(word)
    last[word] = at
    for (const [left, right] of [
      [word - 1, word],
      [word, word + 1],
    ] as const) {
      const [from, to] = [last[left], last[right]]
      // In the order of the query the distance counts as it is, the other way round as one more.
      if (from !== undefined && to !== undefined && from !== to) {
        gaps[right] = Math.min(gaps[right] ?? FAR, to > from ? to - from - 1 : from - to, FAR)
      }
    }
  }
}
