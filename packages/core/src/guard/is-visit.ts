/** The headers of a browser that tell a link followed by a person from a request made by a page. */
export interface VisitSigns {
  method: string
  origin: string | undefined
  secFetchSite: string | undefined
  secFetchMode: string | undefined
  secFetchDest: string | undefined
  /** Set when a page is only prefetched. */
  secPurpose: string | undefined
}

/**
 * Whether a page of another site navigates a whole tab here: not a frame, a script, a form with a body or a prefetch. A request
 * without all of these headers does not come from a browser, so it is not a visit.
 */
export function isVisit(signs: VisitSigns): boolean {
  return (
    signs.method === 'GET' &&
    signs.origin === undefined &&
    (signs.secFetchSite === 'cross-site' || signs.secFetchSite === 'same-site') &&
    signs.secFetchMode === 'navigate' &&
    signs.secFetchDest === 'document' &&
    signs.secPurpose === undefined
  )
}
