import { describeError } from '@toolhaven/core/errors'
import type { HttpBackendOptions } from './http-options.ts'
import { isNotReached, notReachedText } from '@toolhaven/core/net/not-reached'
import { NotMcp, Refused } from './upstream.ts'

/**
 * A local server may still be starting to listen. For a remote one, this many failed connections are worth a report.
 */
const REMOTE_TRIES = 4

/** Whether trying again would only make a person wait for the same answer. */
export function isFinalOfRemote(error: unknown, tries: number): boolean {
  if (error instanceof Refused) return error.isFinal || error.status === 404
  return error instanceof NotMcp || (isNotReached(error) && tries >= REMOTE_TRIES)
}

export function reasonOf(error: unknown, { backend: { url, isRemote }, limits }: HttpBackendOptions): string {
  if (!isRemote) return describeError(error)
  const isWrongPlace =
    error instanceof NotMcp || (error instanceof Refused && (error.status === 404 || error.status === 405))
  if (isWrongPlace)
    return `${describeError(error)}. Check that ${url} is its MCP endpoint: often the path is /mcp or /sse`
  if (isNotReached(error)) return `${notReachedText(error)}. Check the address, the network, and that the server runs`
  if (error instanceof Error && error.name === 'TimeoutError')
    return `${url} did not answer within ${Math.round(limits.remoteMs / 1000)} s`
  if (error instanceof Refused && error.status >= 300 && error.status < 400)
    return `${describeError(error)}: it redirects. Open ${url} in a browser to see where to, and use that address`
  if (error instanceof Refused && error.status >= 500)
    return `${describeError(error)}. The fault is on its side: ask who runs it, or try again later`
  return describeError(error)
}
