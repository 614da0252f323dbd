import type { SuiteRun } from './suites.ts'
import type { Way } from './targets.ts'

export interface KnownLimit {
  revision: SuiteRun['revision']
  /** Left out: any release of the suite. */
  suite?: SuiteRun['name']
  way: Way
  scenario: string
  reason: string
  /** The server behind lacks what is asked for; else a limit excuses what is left out, never what is wrong. */
  mayFail?: boolean
}

const QUIET_CALLS =
  'a call with nothing to say but its answer gets it as JSON, which the revision leaves to us and the suite then only notes'
const NO_STREAMS = 'behind it are no streams that a server could close; the answer comes as JSON'
const OLDER_CLIENT =
  'this release of the suite says 2025-03-26 in its requests, which knows no streams that are closed to be come back for'
const NO_KEYS =
  'the revision has no HTTP+SSE transport: behind is a server of 2025-11-25, whose questions have no keys; the gateway makes them up, and the suite wants its own'

const LATE_SESSION =
  'to be mended: who listens is told so before its session at the server behind is open, and misses a change in between'

/** Where a proxied server cannot be the same as the server itself, and why. What is not listed here is a fault. */
export const KNOWN_LIMITS: readonly KnownLimit[] = [
  ...(['stdio', 'sse', 'streamable-http'] as const).map((way): KnownLimit => ({
    revision: '2025-11-25',
    way,
    scenario: 'server-sse-multiple-streams',
    reason: QUIET_CALLS,
  })),
  ...(['stdio', 'sse'] as const).map((way): KnownLimit => ({
    revision: '2025-11-25',
    way,
    scenario: 'server-sse-polling',
    reason: NO_STREAMS,
  })),
  {
    ...{ revision: '2025-11-25', suite: '0.1', way: 'streamable-http', scenario: 'server-sse-polling' },
    reason: OLDER_CLIENT,
  },
  ...['basic-elicitation', 'ignore-extra-params'].map((part): KnownLimit => ({
    revision: '2026-07-28',
    way: 'sse',
    scenario: `input-required-result-${part}`,
    reason: NO_KEYS,
    mayFail: true,
  })),
  {
    ...{ revision: '2026-07-28', way: 'sse', scenario: 'server-stateless', mayFail: true },
    reason: LATE_SESSION,
  },
]
