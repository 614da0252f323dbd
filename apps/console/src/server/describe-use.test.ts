import { expect, test } from 'vitest'
import { describeUse } from './describe-use.ts'

const quiet = { name: 'web', status: 'running', sessions: 1, calls_per_minute: 0, errors_per_minute: 0 } as const

test('what was measured is said, and what was not with the reason', () => {
  const busy = { ...quiet, cpu_percent: 1.4, memory_bytes: 64_200_000, pids: 11, calls_per_minute: 12, p50_ms: 7.6 }
  expect(describeUse(busy)).toEqual([
    '64 MB of memory, 1 % of a core, and 11 processes and threads.',
    '1 session of clients.',
    '12 calls in the last minute, 0 errors, half of them answered within 8 ms.',
  ])
  expect(describeUse({ ...quiet, not_measured: 'it runs elsewhere' })).toEqual([
    'Not measured: it runs elsewhere.',
    '1 session of clients.',
    'No calls in the last minute.',
  ])
})
