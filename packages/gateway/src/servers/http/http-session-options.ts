import type { Call } from '../../sessions/call.ts'
import type { Session } from '../../sessions/session.ts'
import type { ListPart } from '../../tools/locked-lists.ts'
import type { Upstream, UpstreamOptions } from './upstream.ts'

export interface HttpSessionOptions {
  session: Session
  /** The only call that the session at the server is for. */
  call?: Call | undefined
  /** Id of the server's process. Undefined where sessions cannot be found again. */
  processId: string | undefined
  /** How long a call waits for a server that does not listen at the moment. */
  waitMs: number
  createUpstream: (
    events: Pick<UpstreamOptions, 'onMessage' | 'onPaused' | 'onEnded' | 'isAwaited'>,
    sessionId: string | undefined,
  ) => Upstream
  onStored: () => void
  /** Nothing listens at the server's address. */
  onNotReached: (reason: string) => void
  /** A stateless client could not be told something, because it came outside the answer to a call. */
  onUnplaced: () => void
  /** The server says so, or it is another process than before. */
  onListChanged: (part?: ListPart) => void
  /** The server ended the session. */
  onEnded: (reason: string) => void
}
