import { allowedTypos, createTypoCounter } from './typos.ts'
import { stemOf } from './words.ts'

/** A term of the index that a typed word matches. */
export interface Match {
  term: number
  typos: number
  /** The term is the typed word itself or another form of it, not a longer word. */
  isWhole: boolean
}

export interface Vocabulary {
  terms: readonly string[]
  /** The terms that a typed word may match, including typing errors. */
  match: (typed: string, isPrefix: boolean) => Match[]
  /** The same without typing errors. */
  matchExactly: (typed: string, isPrefix: boolean) => Match[]
}

/** `terms` are distinct; the number of a term is its place in the list. */
export function createVocabulary(terms: readonly string[]): Vocabulary {
  const countTypos = createTypoCounter()
  const lengths = Uint8Array.from(terms, ({ length }) => Math.min(length, 255))
  const masks = Uint32Array.from(terms, letterMask)
  const sorted = terms.map((form, term) => ({ form, term })).toSorted((a, b) => (a.form < b.form ? -1 : 1))
  const byStem = Map.groupBy(terms.keys(), (term) => stemOf(terms[term] ?? ''))

  const exact = (typed: string, isPrefix: boolean): Map<number, Match> => {
    const found = new Map<number, Match>()
    for (const term of byStem.get(stemOf(typed)) ?? []) found.set(term, { term, typos: 0, isWhole: true })
    if (!isPrefix) return found
    for (let at = lowerBound(sorted, typed); sorted[at]?.form.startsWith(typed) === true; at++) {
      const term = sorted[at]?.term ?? 0
      if (!found.has(term)) found.set(term, { term, typos: 0, isWhole: false })
    }
    return found
  }

  const similar = (typed: string, isPrefix: boolean, max: number): Match[] => {
    const mask = letterMask(typed)
    const found: Match[] = []
    const shortest = typed.length - max
    const longest = isPrefix ? Infinity : typed.length + max
    for (let term = 0; term < masks.length; term++) {
      const length = lengths[term] ?? 0
      if (length < shortest || length > longest) continue
      const other = masks[term] ?? 0
      // Each error adds at most one letter that the term lacks, so most terms are excluded without a comparison.
      if (countBits(mask & ~other) > max || (!isPrefix && countBits(other & ~mask) > max)) continue
      const form = terms[term] ?? ''
      const whole = countTypos(typed, form, max, false)
      const typos = whole ?? (isPrefix ? countTypos(typed, form, max, true) : undefined)
      // A wrong first letter is rare, and counting it as one error would match unrelated words.
      if (typos !== undefined && typos > 0) {
        const count = form.charCodeAt(0) === typed.charCodeAt(0) ? typos : typos + 1
        if (count <= Math.max(max, 2)) found.push({ term, typos: count, isWhole: whole !== undefined })
      }
    }
    return found
  }

  return {
    terms,
    matchExactly: (typed, isPrefix) => [...exact(typed, isPrefix).values()],
    match: (typed, isPrefix) => {
      const found = exact(typed, isPrefix)
      const allowed = allowedTypos(typed.length)
      const add = (max: number) => {
        for (const match of similar(typed, isPrefix, max).toSorted((a, b) => a.typos - b.typos)) {
          // "serevr" is close only to "server", but should match "servers" too.
          const family = match.isWhole ? (byStem.get(stemOf(terms[match.term] ?? '')) ?? []) : [match.term]
          for (const term of family) if (!found.has(term)) found.set(term, { ...match, term })
        }
      }
      if (allowed >= 1) add(1)
      // Two errors count only if nothing closer exists, because they match many unrelated words.
      if (allowed === 2 && found.size === 0) add(2)
      return [...found.values()]
    },
  }
}

function lowerBound(sorted: ReadonlyArray<{ form: string }>, form: string): number {
  let low = 0
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((sorted[middle]?.form ?? '') < form) low = middle + 1
    else high = middle
  }
  return low
}

function letterMask(form: string): number {
  let mask = 0
  for (let at = 0; at < form.length; at++) mask |= 1 << (form.charCodeAt(at) & 31)
  return mask >>> 0
}

function countBits(bits: number): number {
  let rest = bits - ((bits >>> 1) & 0x55555555)
  rest = (rest & 0x33333333) + ((rest >>> 2) & 0x33333333)
  return (((rest + (rest >>> 4)) & 0x0f0f0f0f) * 0x01010101) >>> 24
}
