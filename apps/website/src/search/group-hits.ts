import { type Hit, sectionOf } from './hit'

export interface HitGroup {
  section: string
  hits: Hit[]
}

/** Hits by top-level section, in the order of the best hit of each, with at most so many in a group. */
export function groupHits(hits: readonly Hit[], hitsPerGroup = 5): HitGroup[] {
  return [...Map.groupBy(hits, sectionOf)].map(([section, members]) => ({
    section,
    hits: members.slice(0, hitsPerGroup),
  }))
}
