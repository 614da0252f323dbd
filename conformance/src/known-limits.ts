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

const NO_STREAMS =
  'what the scenario is about is a server that closes the stream of a call; one behind a pipe or on one stream for all has none to close'
const NO_KEYS =
  'the revision has no HTTP+SSE transport: behind is a server of 2025-11-25, whose questions have no keys; the gateway makes them up, and the suite wants its own'

/** Where a proxied server cannot be the same as the server itself, and why. What is not listed here is a fault. */
export const KNOWN_LIMITS: readonly KnownLimit[] = [
  ...(['stdio', 'sse'] as const).map((way): KnownLimit => ({
    ...{ revision: '2025-11-25', suite: '0.2', way, scenario: 'server-sse-polling' },
    reason: NO_STREAMS,
  })),
  ...['basic-elicitation', 'ignore-extra-params'].map((part): KnownLimit => ({
    revision: '2026-07-28',
    way: 'sse',
    scenario: `input-required-result-${part}`,
    reason: NO_KEYS,
    mayFail: true,
  })),
]
