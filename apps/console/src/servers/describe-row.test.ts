import { expect, test } from 'vitest'
import { describeRow } from './describe-row.ts'

const idle = { name: 'time', status: 'running', sessions: 0, calls_per_minute: 0, errors_per_minute: 0 } as const

test.each([
  { clients: 0, stats: undefined, told: '0 clients' },
  { clients: 1, stats: idle, told: '1 client · 0 calls/min' },
  { clients: 2, stats: { ...idle, calls_per_minute: 12, p50_ms: 7.6 }, told: '2 clients · 12 calls/min · 8 ms' },
  {
    clients: 2,
    stats: { ...idle, calls_per_minute: 1, errors_per_minute: 1, p50_ms: 40 },
    told: '2 clients · 1 call/min · 1 error · 40 ms',
  },
  { clients: 1, stats: { ...idle, status: 'stopped' } as const, told: '1 client' },
])('a row says "$told"', ({ clients, stats, told }) => {
  expect(describeRow(clients, stats)).toBe(told.replaceAll(/(\d) /g, '$1\u00A0'))
})
