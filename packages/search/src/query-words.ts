import type { Match, Vocabulary } from './vocabulary.ts'
import { isStopWord, wordsOf } from './words.ts'

export interface QueryWord {
  form: string
  matches: readonly Match[]
  /** This word and the one before it, written together, are one term: "quick start". */
  joined: readonly Match[]
}

const MAX_WORDS = 10

/** The words of a query that count, with the terms that each may stand for. The last one may be unfinished. */
export function readQuery(vocabulary: Vocabulary, query: string): QueryWord[] {
  const all = wordsOf(query).slice(0, MAX_WORDS)
  const isUnfinished = (end: number) => end === query.length
  const telling = all.filter(({ form }) => !isStopWord(form))
  const words = telling.length > 0 ? telling : all
  return words.map(({ form, end }, at) => {
    const before = words[at - 1]?.form
    return {
      form,
      matches: vocabulary.match(form, isUnfinished(end)),
      joined: before === undefined ? [] : vocabulary.matchExactly(before + form, isUnfinished(end)),
    }
  })
}
