import type { WorkloadLimits } from '@toolhaven/contract/run-config'
import type { FlagDef, FlagValues } from '../command.ts'

/** Limits on client requests. */
export const LIMIT_FLAGS = {
  maxSessions: {
    type: 'number',
    value: 'number',
    summary: 'maximum number of clients with their own server, with --session-mode auto or isolated (default: 10)',
    min: 1,
    max: 1000,
  },
  sessionIdle: {
    type: 'number',
    value: 'seconds',
    summary: 'end a client’s unused server, or its session at an HTTP server, after this time (default: 1800)',
    min: 1,
    max: 86_400,
  },
  requestsPerMinute: {
    type: 'number',
    value: 'number',
    summary: 'maximum requests of all clients together (default: no limit)',
    min: 1,
    max: 1_000_000_000,
  },
  clientRequestsPerMinute: {
    type: 'number',
    value: 'number',
    summary: 'maximum requests of each client (default: no limit)',
    min: 1,
    max: 1_000_000_000,
  },
  maxMessageBytes: {
    type: 'number',
    value: 'bytes',
    summary: 'maximum size of a message from a client (default: 16777216)',
    min: 1,
    max: 16 * 1024 * 1024,
  },
} as const satisfies Record<string, FlagDef>

export function limitsOf(flags: FlagValues<typeof LIMIT_FLAGS>): {
  [Name in keyof WorkloadLimits]: number | undefined
} {
  return {
    max_sessions: flags.maxSessions,
    session_idle_seconds: flags.sessionIdle,
    requests_per_minute: flags.requestsPerMinute,
    client_requests_per_minute: flags.clientRequestsPerMinute,
    max_message_bytes: flags.maxMessageBytes,
  }
}
