export interface Word {
  /** Lower case without accents, for comparison. */
  form: string
  start: number
  end: number
}

const WORD = /[\p{L}\p{N}]+/gu
const PLAIN = /^[0-9a-z]*$/

/** The words of a text with their places in it. */
export function wordsOf(text: string): Word[] {
  return Array.from(text.matchAll(WORD), (match) => ({
    form: fold(match[0]),
    start: match.index,
    end: match.index + match[0].length,
  }))
}

function fold(word: string): string {
  const lower = word.toLowerCase()
  return PLAIN.test(lower) ? lower : lower.normalize('NFKD').replace(/\p{M}/gu, '')
}

/** The common stem of "servers", "serving" and "served", found by removing a few endings. */
export function stemOf(form: string): string {
  if (form.length < 4 || !PLAIN.test(form)) return form
  const single = form.replace(/(?<=[a-z]{2})ies$/, 'y').replace(/(?<=[^siu])s$/, '')
  const base = single.replace(/(?<=[aeiouy].*[a-z])(?:ing|ed)$/, '')
  return (base.length >= 3 ? base : single).replace(/([bdgmnprt])\1$/, '$1').replace(/(?<=.{3})e$/, '')
}

/** Words without meaning for a search. They count only if the query has no others. */
const STOP_WORDS = new Set(
  `a about all am an and any are as at be but by can could do does for from get had has have how i if in into is it its
  make me my of on or our should so some than that the their them then there these they this to up use using want was we what
  when where which while who why will with without would you your`.split(/\s+/),
)

export const isStopWord = (form: string): boolean => STOP_WORDS.has(form)
