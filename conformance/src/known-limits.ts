import type { SuiteRun } from './suites.ts'
import type { Way } from './targets.ts'

export interface KnownLimit {
  revision: SuiteRun['revision']
  /** Default: any release of the suite. */
  suite?: SuiteRun['name']
  way: Way
  scenario: string
  reason: string
  /** Started with these, the server itself has the same limit: then the two have to be equal. */
  withLimit?: readonly string[]
}

const NO_STREAMS =
  'the scenario is about a server that closes the stream of a call; one behind a pipe or on one stream for all has none to close, so it is compared with the server when that closes none'
const NO_KEYS =
  'behind is a server of 2025-11-25, whose questions have no keys; the gateway makes them up, and the suite wants its own'

/** Where a proxied server cannot equal the server itself, and why. Anything not listed here is a fault. */
export const KNOWN_LIMITS: readonly KnownLimit[] = [
  ...(['stdio', 'sse'] as const).map((way): KnownLimit => ({
    ...{ revision: '2025-11-25', suite: '0.2', way, scenario: 'server-sse-polling' },
    ...{ reason: NO_STREAMS, withLimit: ['--keep-streams'] },
  })),
  ...['basic-elicitation', 'ignore-extra-params'].map((part): KnownLimit => ({
    ...{ revision: '2026-07-28', way: 'older-era', scenario: `input-required-result-${part}` },
    reason: NO_KEYS,
  })),
]

export function limitOf(run: SuiteRun, way: Way, scenario: string): KnownLimit | undefined {
  return KNOWN_LIMITS.find(
    (limit) =>
      limit.revision === run.revision &&
      (limit.suite ?? run.name) === run.name &&
      limit.way === way &&
      limit.scenario === scenario,
  )
}
