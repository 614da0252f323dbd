import * as z from 'zod'
import { workloadName } from './names.ts'
import { API_PREFIX, noGroup, noWorkload, ok, type Routes } from './route.ts'
import { workloadStatus } from './workload-status.ts'

export const workloadStats = z
  .strictObject({
    name: workloadName.meta({ description: 'Name of the workload' }),
    status: workloadStatus.meta({ description: 'State of the workload' }),
    cpu_percent: z.number().optional().meta({
      description: 'CPU time since the last measurement, in percent of one core; 150 is one and a half cores',
    }),
    memory_bytes: z.int().optional().meta({ description: 'Memory in use, without the file cache of the kernel' }),
    pids: z.int().optional().meta({ description: 'Number of processes and threads, which resources.pids limits' }),
    not_measured: z.string().optional().meta({ description: 'Why cpu_percent, memory_bytes or pids are absent' }),
    sessions: z.int().meta({ description: 'Open sessions of clients' }),
    calls_per_minute: z.int().meta({ description: 'Client requests that finished in the last minute' }),
    errors_per_minute: z
      .int()
      .meta({ description: 'Those of them that were refused, got an error, or called a tool that reported one' }),
    p50_ms: z
      .number()
      .optional()
      .meta({ description: 'Median time to answer in the last minute; absent without answers' }),
  })
  .meta({ id: 'toolhaven.workloadStats', description: 'What a workload uses, and how fast it answers its clients' })
export type WorkloadStats = z.infer<typeof workloadStats>

export const statsList = z
  .strictObject({ workloads: z.array(workloadStats).meta({ description: 'Sorted by name' }) })
  .meta({ id: 'toolhaven.statsList', description: 'What workloads use' })

const tag = 'workloads'
const example: WorkloadStats = {
  ...{ name: 'everything', status: 'running', cpu_percent: 1.5, memory_bytes: 75_497_472, pids: 11 },
  ...{ sessions: 2, calls_per_minute: 12, errors_per_minute: 1, p50_ms: 8 },
}
const measures =
  'The daemon measures only on request. cpu_percent covers the time since the last request, if that was within a ' +
  'minute; otherwise the daemon measures twice, half a second apart.'

export const statsRoutes = {
  listStats: {
    method: 'GET',
    path: `${API_PREFIX}/stats`,
    tag,
    summary: 'See what workloads use',
    description: `CPU, memory and processes, sessions, and the calls of the last minute. ${measures}`,
    query: z.strictObject({
      all: z
        .stringbool({ truthy: ['true'], falsy: ['false'], case: 'sensitive' })
        .optional()
        .meta({ description: 'Include stopped workloads' }),
      group: z.string().optional().meta({ description: 'Only workloads of this group' }),
    }),
    success: ok(statsList, 'What they use', { workloads: [example] }),
    errors: noGroup,
    extension: true,
  },
  getStats: {
    method: 'GET',
    path: `${API_PREFIX}/workloads/{name}/stats`,
    tag,
    summary: 'See what a workload uses',
    description: `CPU, memory and processes, sessions, and the calls of the last minute. ${measures}`,
    params: z.strictObject({ name: workloadName }),
    success: ok(workloadStats, 'What it uses', example),
    errors: noWorkload,
    extension: true,
  },
} as const satisfies Routes
