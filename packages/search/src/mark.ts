import type { QueryWord } from './query-words.ts'
import { wordsOf } from './words.ts'

export interface Tags {
  pre: string
  post: string
}

export interface MarkedText {
  value: string
  matchLevel: 'none' | 'partial' | 'full'
  matchedWords: string[]
}

export interface Marker {
  highlight: (text: string) => MarkedText
  /** The passage of this many words with the most matches. */
  snippet: (text: string, words: number) => Omit<MarkedText, 'matchedWords'>
}

interface Span {
  start: number
  end: number
  /** End of the matched part; equal to `start` if nothing matches. */
  markEnd: number
  word: string | undefined
}

/** Marks the words of a query in texts. All text is HTML-escaped; only the tags are not. */
export function createMarker(
  terms: readonly string[],
  words: readonly QueryWord[],
  { tags, ellipsis }: { tags: Tags; ellipsis: string },
): Marker {
  const targets = readTargets(terms, words)
  const read = (text: string): Span[] =>
    wordsOf(text).map(({ form, start, end }) => {
      const target = targets.get(form)
      return {
        start,
        end,
        markEnd: target === undefined ? start : Math.min(end, start + target.length),
        word: target?.word,
      }
    })
  const matched = (spans: readonly Span[]) => [...new Set(spans.flatMap(({ word }) => word ?? []))]
  const levelOf = (count: number) => (count === 0 ? 'none' : count < words.length ? 'partial' : 'full')
  return {
    highlight: (text) => {
      const spans = read(text)
      const matchedWords = matched(spans)
      return {
        value: render(text, { from: 0, to: text.length }, spans, tags),
        matchLevel: levelOf(matchedWords.length),
        matchedWords,
      }
    },
    snippet: (text, size) => {
      const spans = read(text)
      const first = bestWindow(spans, size)
      const shown = spans.slice(first, first + size)
      const from = first === 0 ? 0 : (shown[0]?.start ?? 0)
      const isCut = first + size < spans.length
      const to = isCut ? (shown.at(-1)?.end ?? 0) : text.length
      const value = `${from > 0 ? ellipsis : ''}${render(text, { from, to }, shown, tags)}${isCut ? ellipsis : ''}`
      return { value, matchLevel: levelOf(matched(shown).length) }
    },
  }
}

/** For each form that matches: which word of the query it is, and how many letters to mark. */
function readTargets(
  terms: readonly string[],
  words: readonly QueryWord[],
): Map<string, { word: string; length: number }> {
  const targets = new Map<string, { word: string; length: number }>()
  for (const { form, matches, joined } of words) {
    for (const { term, typos, isWhole } of [...matches, ...joined]) {
      const found = terms[term] ?? ''
      const isBeginning = !isWhole && typos === 0 && found.startsWith(form)
      if (!targets.has(found)) targets.set(found, { word: form, length: isBeginning ? form.length : found.length })
    }
  }
  return targets
}

function bestWindow(spans: readonly Span[], size: number): number {
  let best = { first: 0, count: -1 }
  for (let first = 0; first === 0 || first + size <= spans.length; first++) {
    const count = new Set(spans.slice(first, first + size).flatMap(({ word }) => word ?? [])).size
    if (count > best.count) best = { first, count }
  }
  if (best.first === 0) return 0
  // The match entered at the end. Skipping half of the words before it puts it in the middle.
  const lead = spans.slice(best.first, best.first + size).findIndex(({ word }) => word !== undefined)
  return Math.min(best.first + Math.max(0, Math.floor(lead / 2)), Math.max(0, spans.length - size))
}

function render(
  text: string,
  { from, to }: { from: number; to: number },
  spans: readonly Span[],
  { pre, post }: Tags,
): string {
  let html = ''
  let at = from
  for (const { start, markEnd } of spans) {
    if (markEnd === start) continue
    html += `${escapeHtml(text.slice(at, start))}${pre}${escapeHtml(text.slice(start, markEnd))}${post}`
    at = markEnd
  }
  return html + escapeHtml(text.slice(at, to))
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character)
}
