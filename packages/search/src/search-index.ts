import { LEVELS, type SearchRecord } from './record.ts'
import { createVocabulary, type Vocabulary } from './vocabulary.ts'
import { wordsOf } from './words.ts'

/** The index of `content` among the attributes. Those before it are the levels of the hierarchy. */
export const CONTENT = LEVELS.length

export interface SearchIndex {
  records: readonly SearchRecord[]
  vocabulary: Vocabulary
  /** The positions of each term: the number of the record times eight plus the attribute. */
  postings: readonly Int32Array[]
  /** For each record and attribute, its terms in order. */
  terms: ReadonlyArray<readonly Int32Array[]>
  /** For each record, its own attribute; the others are inherited from the headings above it. */
  own: Uint8Array
  /** Records with the same number have the same address. */
  places: Int32Array
  /** Records with the same number are of the same page. */
  pages: Int32Array
}

export function createSearchIndex(records: readonly SearchRecord[]): SearchIndex {
  const numbers = new Map<string, number>()
  const lists: number[][] = []
  const seen = new Map<string, Int32Array>()
  const numberTerms = (text: string): Int32Array => {
    const known = seen.get(text)
    if (known !== undefined) return known
    const terms = Int32Array.from(wordsOf(text), ({ form }) => numberOf(numbers, form))
    seen.set(text, terms)
    return terms
  }
  const terms = records.map((record, number) => {
    const attributes = [...LEVELS.map((level) => record.hierarchy[level]), record.content]
    return attributes.map((text, attribute) => {
      const own = text === null ? EMPTY : numberTerms(text)
      const list =
        attribute === 1 && record.type === 'lvl1' ? Int32Array.of(...own, ...numberTerms(nameOf(record))) : own
      for (const term of new Set(list)) (lists[term] ??= []).push(number * 8 + attribute)
      return list
    })
  })
  const urls = new Map<string, number>()
  const pages = new Map<string, number>()
  return {
    records,
    vocabulary: createVocabulary([...numbers.keys()]),
    postings: lists.map((list) => Int32Array.from(list)),
    terms,
    own: Uint8Array.from(records, ({ type }) => (type === 'content' ? CONTENT : LEVELS.indexOf(type))),
    places: Int32Array.from(records, ({ url }) => numberOf(urls, url)),
    pages: Int32Array.from(records, ({ url }) => numberOf(pages, url.replace(/#.*$/, ''))),
  }
}

const EMPTY = new Int32Array(0)

/** The last part of a page's address, because readers search for `client-configuration` whatever the title is. */
function nameOf({ url }: SearchRecord): string {
  return (
    url
      .replace(/[?#].*$/, '')
      .split('/')
      .findLast((part) => part !== '') ?? ''
  )
}

function numberOf(numbers: Map<string, number>, key: string): number {
  const known = numbers.get(key)
  if (known !== undefined) return known
  numbers.set(key, numbers.size)
  return numbers.size - 1
}
