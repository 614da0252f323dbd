import type { WorkloadStats } from '@toolhaven/contract/stats'
import { expect, test } from 'vitest'
import { createOutput } from '../output/output.ts'
import { statsTable } from './stats-table.ts'

const web: WorkloadStats = {
  ...{ name: 'web', status: 'running', cpu_percent: 1.5, memory_bytes: 75_497_472, pids: 11 },
  ...{ sessions: 2, calls_per_minute: 12, errors_per_minute: 0, p50_ms: 8.4 },
}
const far: WorkloadStats = {
  ...{ name: 'far', status: 'error', not_measured: 'it is a remote server' },
  ...{ sessions: 0, calls_per_minute: 0, errors_per_minute: 0 },
}

function shown(workloads: readonly WorkloadStats[], { isTTY = false, columns = 200, env = {} } = {}) {
  const stream = { isTTY, columns, write: () => true }
  return statsTable(createOutput({ stdout: stream, stderr: stream, env }), workloads)
}

test('what cannot be told is a dash', () => {
  expect(shown([far, { ...web, memory_bytes: 3 * 2 ** 30, cpu_percent: 150, p50_ms: 1234 }])).toBe(
    [
      'NAME  STATUS   CPU    MEMORY   PIDS  SESSIONS  CALLS/MIN  P50    ERRORS',
      'far   error    –      –        –     0         0          –      0',
      'web   running  150 %  3.0 GiB  11    2         12         1.2 s  0',
    ].join('\n'),
  )
})

test('trouble stands out on a terminal, unless colours are not wanted', () => {
  const failing = { ...web, errors_per_minute: 3 }
  const lines = shown([far, failing, web], { isTTY: true }).split('\n')
  expect(lines[1]?.startsWith('\u001B[31mfar ')).toBe(true)
  expect(lines[1]?.endsWith('\u001B[0m')).toBe(true)
  expect(lines[2]?.startsWith('\u001B[33mweb ')).toBe(true)
  expect(lines[3]).toMatch(/^web /)
  expect(shown([far, failing], { isTTY: true, env: { NO_COLOR: '1' } })).not.toContain('\u001B')
})

test('a narrow terminal cuts the name and keeps the figures', () => {
  const [, line] = shown([{ ...web, name: 'a-server-with-quite-a-long-name' }], { isTTY: true, columns: 76 }).split(
    '\n',
  )
  expect(line).toMatch(/^a-server… +running {2}1\.5 % {2}72 MiB {2}11 .* 12 .* 8\.4 ms {2}0$/)
})
