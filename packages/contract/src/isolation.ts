import * as z from 'zod'
import { workloadName } from './names.ts'
import { API_PREFIX, noWorkload, ok, type Routes } from './route.ts'

/** What confines a running server, as the kernel or the engine has it now; not what was asked for. */
export const confinement = z
  .strictObject({
    seen_by: z
      .enum(['kernel', 'engine'])
      .meta({ description: 'Who was asked: the kernel of this machine, or the engine' }),
    user: z.string().meta({ description: 'User id inside' }),
    outside_user: z.string().optional().meta({ description: 'The same user as the machine sees it' }),
    capabilities: z.array(z.string()).meta({ description: 'Those it holds; none is best' }),
    privileged: z.boolean().meta({ description: 'Whether an engine runs it as privileged' }),
    no_new_privileges: z
      .boolean()
      .meta({ description: 'Whether it cannot gain privileges through programs it starts' }),
    system_call_filter: z.boolean().meta({ description: 'Whether a filter limits its system calls' }),
    own_files: z.boolean().meta({ description: 'It sees files of its own and what is mounted, not the machine’s' }),
    read_only_root: z.boolean().meta({ description: 'Whether its root file system is read-only' }),
    network: z.enum(['none', 'own', 'host']).meta({ description: 'Loopback only; one of its own; the machine’s' }),
    memory_bytes: z.number().optional().meta({ description: 'Left out: no limit' }),
    pids: z.number().optional().meta({ description: 'Processes and threads at the same time. Left out: no limit' }),
    open_files: z.number().optional().meta({ description: 'Of each process' }),
    cpus: z.number().optional().meta({ description: 'CPU cores. Left out: no limit' }),
    mounts: z
      .array(
        z.strictObject({
          source: z.string().meta({ description: 'Path on this machine' }),
          target: z.string().meta({ description: 'Path that the server sees' }),
          read_only: z.boolean().meta({ description: 'Whether the server can only read it' }),
        }),
      )
      .meta({ description: 'Files and folders of this machine that the server sees' }),
  })
  .meta({
    id: 'toolhaven.confinement',
    description: 'What confines a running server, as the kernel or the engine reports it',
  })
export type Confinement = z.infer<typeof confinement>

export const isolationRoutes = {
  getIsolation: {
    method: 'GET',
    path: `${API_PREFIX}/workloads/{name}/isolation`,
    tag: 'workloads',
    summary: 'See what confines a workload now',
    description: 'Read from the running server itself, so that it also shows what others changed.',
    params: z.strictObject({ name: workloadName }),
    success: ok(confinement, 'The confinement in force', {
      ...{ seen_by: 'kernel', user: '65534', capabilities: [], privileged: false, no_new_privileges: true },
      ...{
        system_call_filter: true,
        own_files: true,
        read_only_root: true,
        network: 'none',
        pids: 512,
        open_files: 4096,
        mounts: [],
      },
    }),
    errors: {
      ...noWorkload,
      409: { when: 'nothing of it runs here', example: 'docs is a remote server: nothing of it runs here' },
    },
    extension: true,
  },
} as const satisfies Routes
