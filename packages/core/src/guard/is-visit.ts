/** What a browser says of a request, as far as it tells a link that a person follows from what a page does. */
export interface VisitSigns {
  method: string
  origin: string | undefined
  secFetchSite: string | undefined
  secFetchMode: string | undefined
  secFetchDest: string | undefined
  /** Of a page that is only loaded ahead. */
  secPurpose: string | undefined
}

/**
 * Whether a page of another site leads a whole tab here: no frame, no script, no form that sends something, and not ahead of
 * time. Only a browser can be asked such a question, so what does not say all of it is not one.
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
