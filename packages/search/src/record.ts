export const LEVELS = ['lvl0', 'lvl1', 'lvl2', 'lvl3', 'lvl4', 'lvl5', 'lvl6'] as const
export type Level = (typeof LEVELS)[number]
export type Hierarchy = Record<Level, string | null>

/** One searchable place in the documentation, in the format of a DocSearch index. */
export interface SearchRecord {
  objectID: string
  url: string
  /** The level of the heading that this is, or `content` for text below it. */
  type: Exclude<Level, 'lvl0'> | 'content'
  content: string | null
  hierarchy: Hierarchy
  language: string
  docusaurus_tag: string
  version: string
  /** Set for a page about something that does not exist yet, and for one that only leads to others. It ranks after the others. */
  ranksLate?: true
}
