import { expect, test } from 'vitest'
import { usageOf } from './container-usage.ts'

const read = '2026-01-15T09:30:00Z'
const cpu_stats = { cpu_usage: { total_usage: 1_500_000_000 } }

test('pages of files that can go are no memory in use', () => {
  const pids_stats = { current: 9 }
  const second = { usage: 100, stats: { inactive_file: 30 } }
  const first = { usage: 100, stats: { total_inactive_file: 40, inactive_file: 1 } }
  const measured = { cpuMs: 1500, pids: 9 }
  expect(usageOf({ read, cpu_stats, pids_stats, memory_stats: second })).toEqual({ ...measured, memoryBytes: 70 })
  expect(usageOf({ read, cpu_stats, pids_stats, memory_stats: first })).toEqual({ ...measured, memoryBytes: 60 })
})

test('what the engine leaves out is named', () => {
  const found = usageOf({ read, cpu_stats, memory_stats: {}, pids_stats: { current: 0 } })
  expect(found).toEqual({ cpuMs: 1500, notMeasured: expect.stringContaining('memory and processes') })
})
