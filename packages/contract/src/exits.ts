import * as z from 'zod'
import { workloadName } from './names.ts'
import { API_PREFIX, noWorkload, ok, type Routes } from './route.ts'

export const exitRecord = z
  .strictObject({
    ended_at: z.iso.datetime().meta({ description: 'When it ended' }),
    kind: z.enum(['exited', 'unresponsive', 'not-started']).meta({
      description:
        'exited: the server ended. unresponsive: it stopped answering and was ended. not-started: it could not be started',
    }),
    reason: z.string().meta({ description: 'Why, in one sentence' }),
    exit_code: z.int().optional().meta({ description: 'Exit code of the server, when it exited' }),
    out_of_memory: z.literal(true).optional().meta({ description: 'It was killed for using more memory than allowed' }),
    last_lines: z.array(z.string()).meta({ description: 'Last lines of its output, oldest first' }),
  })
  .meta({ id: 'toolhaven.exit', description: 'One unrequested end of a server' })
export type ExitRecord = z.infer<typeof exitRecord>

export const exitList = z
  .strictObject({ exits: z.array(exitRecord).meta({ description: 'Newest first; at most 20 are kept' }) })
  .meta({ id: 'toolhaven.exitList', description: 'Recent exits of a server' })

export const exitRoutes = {
  listExits: {
    method: 'GET',
    path: `${API_PREFIX}/workloads/{name}/exits`,
    tag: 'workloads',
    summary: 'List recent exits of a workload',
    description:
      'Lists every time its server ended, stopped answering or could not be started, with the reason and the last lines of output.',
    params: z.strictObject({ name: workloadName.meta({ description: 'Name of the workload' }) }),
    success: ok(exitList, 'The exits', {
      exits: [
        {
          ended_at: '2026-01-15T09:30:00Z',
          kind: 'exited',
          reason: 'the server exited with code 1',
          exit_code: 1,
          last_lines: ['Please set DATABASE_URL'],
        },
      ],
    }),
    errors: noWorkload,
    extension: true,
  },
} as const satisfies Routes
