import { describeError } from '@toolhaven/core/errors'
import { NeedsLogin } from '@toolhaven/core/workloads/needs-login'
import { requestOf, type RpcMessage, type RpcRequest } from '../../messages/json-rpc.ts'
import { isRepeatable } from './is-repeatable.ts'
import type { UpstreamTarget } from '../../http/client/upstream-target.ts'

/** One session at an HTTP server. */
export interface Upstream {
  readonly sessionId: string | undefined
  /** Sent in a header once it is known. */
  version: string | undefined
  /**
   * Delivers one message. The answer to a request comes through `onMessage`. Rejects when the message cannot be
   * delivered.
   */
  send(text: string, request: RpcRequest | undefined, headers: Readonly<Record<string, string>>): Promise<void>
  /**
   * Opens the way for messages that belong to no call, where that is needed. If it ever opens, it is open when this
   * resolves.
   */
  listen(): Promise<void>
  /** No client waits for its answer any more. */
  abandon?(request: RpcRequest): void
  /** Ends the session at the server. Messages on their way may still be answered. */
  close(): void
  /** Drops it, and the messages on their way, without ending it: it may be found again by its id. */
  leave(): void
}

export interface UpstreamOptions {
  target: UpstreamTarget
  maxMessageBytes: number
  onMessage: (message: RpcMessage, relatedTo: RpcRequest | undefined) => void
  /**
   * Gets the first and last bytes of a message that cannot be read. Without it, a message over the limit ends its
   * stream.
   */
  onDropped?: (head: string, tail: string, why: string) => void
  /** Whether a client still waits for the answer. */
  isAwaited: (request: RpcRequest) => boolean
  /**
   * The server closed the stream of a call and lets its client come back for the answer, after this time if it said so.
   */
  onPaused?: (request: RpcRequest, retryMs: number | undefined) => void
  /**
   * The session at the server has ended. Not called after `close`. `canAnswer`: calls have connections of their own,
   * and continue.
   */
  onEnded: (reason: string, canAnswer?: boolean) => void
}

export type UpstreamEvents = Pick<UpstreamOptions, 'onMessage' | 'onPaused' | 'onEnded' | 'isAwaited'>

/** How long messages on their way may be answered after the session was closed. */
const LAST_WORD_MS = 10_000

/** Ends those that are not answered by then. */
export function endAfterLastWord(open: AbortController): void {
  const reason = new Error('the session ended before the server answered. It may have carried out the call')
  setTimeout(() => open.abort(reason), LAST_WORD_MS).unref()
}

/** The server does not know the session, or no longer does. */
export class SessionGone extends Error {}

/** Not found yet, too slow, too many. */
const PASSING: ReadonlySet<number> = new Set([404, 408, 429])

/** The server refused the request with an HTTP status. */
export class Refused extends Error {
  readonly status: number

  constructor(status: number) {
    super(`the server answered with status ${status}`)
    this.status = status
  }

  /** The server may or may not have carried out the request. */
  get isUncertain(): boolean {
    return this.status >= 500 || this.status === 408
  }

  /** The same request would get the same answer later. */
  get isFinal(): boolean {
    return this.status >= 300 && this.status < 500 && !PASSING.has(this.status)
  }
}

/** The server answered, but not with a message of the protocol. */
export class NotMcp extends Error {
  constructor(type: string) {
    super(
      /^text\/html\b/.test(type)
        ? 'it answered with a web page'
        : `its answer is not an MCP message (its type is "${type.slice(0, 100)}")`,
    )
  }
}

/** What a client is told when its call was not answered. */
export function lostText(error: unknown): string {
  if (error instanceof Refused)
    return error.isUncertain ? `${error.message}. It may have carried out the call` : error.message
  // An error of our own says what the server did.
  if (!(error instanceof Error && 'code' in error)) return describeError(error)
  const isBroken = BROKEN.has(error.code)
  return isBroken
    ? `the connection to the server broke before it answered (${describeError(error)}). It may have carried out the call`
    : `the server could not be reached: ${describeError(error)}`
}

const BROKEN: ReadonlySet<unknown> = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'])

/**
 * Called after a 404 in a session. Only a server that refuses everything in the session has not carried out the
 * request, which may then be sent in another session. Otherwise this throws.
 */
export async function ensureGone(upstream: Upstream, { method }: Pick<RpcRequest, 'method'>): Promise<void> {
  if (isRepeatable(method)) return
  const ping = requestOf('toolhaven-gone', 'ping')
  const isGone = await upstream.send(ping.text, ping, {}).then(
    () => false,
    (error: unknown) => error instanceof SessionGone,
  )
  if (!isGone) throw new Refused(404)
}

/** Trying again will not help, or only a person can. */
export function isFinal(error: unknown): boolean {
  return error instanceof NeedsLogin || (error instanceof Refused && error.isFinal)
}
