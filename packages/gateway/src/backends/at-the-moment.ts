/** Longer than a server's word that it closes the connection is on its way. */
const MOMENT_MS = 1000

/**
 * Whether a kept connection that broke without a word may have been closed by its server before it saw the request. What breaks
 * later was under way: to ask again would have the work done twice.
 */
export const isAtTheMoment = (askedAt: number) => performance.now() - askedAt < MOMENT_MS
