import type { WorkloadStats } from '@toolhaven/contract/stats'
import type { Output } from '../output/output.ts'
import { inMebibytes, inPercent, inSeconds } from './figures.ts'

/** Shown for an unknown value. */
const NONE = '–'

/** One line per workload, without the final newline. Workloads that need attention are highlighted. */
export function statsTable(out: Output, workloads: readonly WorkloadStats[]): string {
  const { bold, red, yellow, dim } = out.colour
  const [title = '', ...rows] = out
    .rendered<WorkloadStats>(
      [
        { title: 'NAME', value: ({ name }) => name, shrinks: true },
        { title: 'STATUS', value: ({ status }) => status },
        { title: 'CPU', value: ({ cpu_percent: cpu }) => (cpu === undefined ? NONE : inPercent(cpu)) },
        { title: 'MEMORY', value: ({ memory_bytes: bytes }) => (bytes === undefined ? NONE : inMebibytes(bytes)) },
        { title: 'PIDS', value: ({ pids }) => String(pids ?? NONE) },
        { title: 'SESSIONS', value: ({ sessions }) => String(sessions) },
        { title: 'CALLS/MIN', value: ({ calls_per_minute: calls }) => String(calls) },
        { title: 'P50', value: ({ p50_ms: ms }) => (ms === undefined ? NONE : inSeconds(ms)) },
        { title: 'ERRORS', value: ({ errors_per_minute: errors }) => String(errors) },
      ],
      workloads,
    )
    .trimEnd()
    .split('\n')
  const painted = rows.map((row, at) => {
    const { status, errors_per_minute: errors = 0 } = workloads[at] ?? {}
    if (status === 'error' || status === 'unhealthy') return red(row)
    if (status === 'stopped') return dim(row)
    return status !== 'running' || errors > 0 ? yellow(row) : row
  })
  return [bold(title), ...painted].join('\n')
}
