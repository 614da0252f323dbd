/** Longer than it takes until the client learns that the server closed the connection. */
const CLOSE_NOTICE_MS = 1000

/**
 * Whether a kept connection that broke without an answer was most likely closed before the server saw the request. A
 * connection that breaks later carried a request in progress. Neither is certain, so only requests that do no harm when
 * repeated are sent again.
 */
export const isProbablyUnseen = (askedAt: number) => performance.now() - askedAt < CLOSE_NOTICE_MS
