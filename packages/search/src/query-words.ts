import type { Match, Vocabulary } from './vocabulary.ts'
import { synonymsOf } from './synonyms.ts'
import { isStopWord, type Word, wordsOf } from './words.ts'

export interface QueryWord {
  form: string
  matches: readonly Match[]
  /** This word and the one before it form one term when joined: "quick start". */
  joined: readonly Match[]
}

const MAX_WORDS = 10

/** The relevant words of a query, with the terms that each may match. The last word may be unfinished. */
export function readQuery(complete: Vocabulary, query: string): QueryWord[] {
  const vocabulary = remembering(complete)
  const isUnfinished = (end: number) => end === query.length
  const all = wordsOf(query)
    .slice(0, MAX_WORDS)
    .flatMap((word) => splitWord(vocabulary, word, isUnfinished(word.end)))
  const telling = all.filter(({ form }) => !isStopWord(form))
  const words = telling.length > 0 ? telling : all
  return words.map(({ form, end }, at) => {
    const before = words[at - 1]?.form
    return {
      form,
      matches: [...vocabulary.match(form, isUnfinished(end)), ...synonymMatches(vocabulary, form)],
      joined: before === undefined ? [] : vocabulary.matchExactly(before + form, isUnfinished(end)),
    }
  })
}

/** Ranked below the word itself, as the beginning of a longer word is. */
function synonymMatches(vocabulary: Vocabulary, form: string): Match[] {
  return synonymsOf(form).flatMap((other) =>
    vocabulary.matchExactly(other, false).map((match) => ({ ...match, isWhole: false })),
  )
}

/** A word that matches nothing may be two words with a missing space. */
function splitWord(vocabulary: Vocabulary, word: Word, isPrefix: boolean): Word[] {
  const { form, start, end } = word
  if (form.length < MIN_SPLIT || vocabulary.match(form, isPrefix).length > 0) return [word]
  if (synonymMatches(vocabulary, form).length > 0) return [word]
  for (let at = form.length - 2; at >= 2; at--) {
    const [left, right] = [form.slice(0, at), form.slice(at)]
    const isKnown =
      vocabulary.matchExactly(left, false).length > 0 && vocabulary.matchExactly(right, isPrefix).length > 0
    if (isKnown)
      return [
        { form: left, start, end: start + at },
        { form: right, start: start + at, end },
      ]
  }
  return [word]
}

const MIN_SPLIT = 5

/** Cached, because each word is looked up twice. */
function remembering(vocabulary: Vocabulary): Vocabulary {
  const known = new Map<string, Match[]>()
  return {
    ...vocabulary,
    match: (typed, isPrefix) => {
      const key = `${typed}${isPrefix ? '*' : ''}`
      const matches = known.get(key) ?? vocabulary.match(typed, isPrefix)
      known.set(key, matches)
      return matches
    },
  }
}
