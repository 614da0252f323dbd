import type { SuiteRun } from './suites.ts'
import type { Way } from './targets.ts'

export interface KnownLimit {
  revision: SuiteRun['revision']
  way: Way
  /** Left out: all of them; they are not asked. */
  scenario?: string
  reason: string
}

const QUIET_CALLS =
  'a call with nothing to say but its answer gets it as JSON, which the revision leaves to us and the suite then only notes'
const KEPT_STREAMS =
  "closing the stream of a call is between the server and the gateway, which comes back for the answer in its client's place"
const NO_STREAMS = 'behind it are no streams that a server could close; the answer comes as JSON'

/** Where a proxied server cannot be the same as the server itself, and why. What is not listed here is a fault. */
export const KNOWN_LIMITS: readonly KnownLimit[] = [
  {
    revision: '2026-07-28',
    way: 'sse',
    reason: 'the revision has no HTTP+SSE transport, so there is no such server to put behind',
  },
  ...(['stdio', 'sse', 'streamable-http'] as const).map((way) => ({
    revision: '2025-11-25' as const,
    way,
    scenario: 'server-sse-multiple-streams',
    reason: QUIET_CALLS,
  })),
  ...(['stdio', 'sse', 'streamable-http'] as const).map((way) => ({
    revision: '2025-11-25' as const,
    way,
    scenario: 'server-sse-polling',
    reason: way === 'streamable-http' ? KEPT_STREAMS : NO_STREAMS,
  })),
]
