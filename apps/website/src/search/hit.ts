export const LEVELS = ['lvl0', 'lvl1', 'lvl2', 'lvl3', 'lvl4', 'lvl5', 'lvl6'] as const
export type Level = (typeof LEVELS)[number]
export type HitType = Exclude<Level, 'lvl0'> | 'content'

interface Marked {
  value: string
}

interface MarkedParts {
  content?: Marked
  hierarchy?: Partial<Record<Level, Marked>>
}

/** A hit as it is kept between visits. */
export interface PlainHit extends Record<string, unknown> {
  objectID: string
  url: string
  type: HitType
  content: string | null
  hierarchy: Partial<Record<Level, string | null>>
}

/** A hit of a search, with the words of the query marked. */
export interface Hit extends PlainHit {
  _highlightResult?: MarkedParts
  _snippetResult?: MarkedParts
}

/** The hit without its highlight and snippet data, or anything else that belongs to one search. */
export function toPlainHit({ objectID, url, type, content, hierarchy }: PlainHit): PlainHit {
  return { objectID, url, type, content, hierarchy }
}

/** What stands in the first line of a hit: its heading, or its text. Marked where the search marked it. */
export function titleOf(hit: Hit): string {
  if (hit.type === 'content') {
    return hit._snippetResult?.content?.value ?? escapeHtml(hit.content ?? '')
  }
  const marked = hit._snippetResult?.hierarchy?.[hit.type] ?? hit._highlightResult?.hierarchy?.[hit.type]
  return marked?.value ?? escapeHtml(hit.hierarchy[hit.type] ?? '')
}

/** The headings above a hit, from the page down. */
export function trailOf(hit: PlainHit): string[] {
  const last = hit.type === 'content' ? LEVELS.length : LEVELS.indexOf(hit.type)
  return LEVELS.slice(1, last).flatMap((level) => hit.hierarchy[level] ?? [])
}

export function sectionOf(hit: PlainHit): string {
  return hit.hierarchy.lvl0 ?? 'Documentation'
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}
