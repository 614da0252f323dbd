/** Longer than a server's word that it closes the connection is on its way. */
const MOMENT_MS = 1000

/**
 * Whether a kept connection that broke without a word was most likely closed by its server before it saw the request. What breaks
 * later was under way. Neither is certain, so that only what does no harm twice is asked again.
 */
export const isAtTheMoment = (askedAt: number) => performance.now() - askedAt < MOMENT_MS
