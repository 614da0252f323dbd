import * as z from 'zod'
import { workloadName } from './names.ts'
import { API_PREFIX, noWorkload, ok, type Routes } from './route.ts'

/** What confines a running server, as the kernel or the engine reports it now. It may differ from what was requested. */
export const confinement = z
  .strictObject({
    seen_by: z
      .enum(['kernel', 'engine'])
      .meta({ description: 'Who was asked: the kernel of this machine, or the engine' }),
    user: z.string().meta({ description: 'User ID inside the isolation' }),
    outside_user: z.string().optional().meta({ description: 'The same user as the machine sees it' }),
    capabilities: z.array(z.string()).meta({ description: 'Capabilities that it holds; none is best' }),
    privileged: z.boolean().meta({ description: 'Whether an engine runs it as privileged' }),
    no_new_privileges: z
      .boolean()
      .meta({ description: 'Whether it cannot gain privileges through programs it starts' }),
    system_call_filter: z.boolean().meta({ description: 'Whether a filter limits its system calls' }),
    own_files: z
      .boolean()
      .meta({ description: 'Whether it sees only its own files and the mounts, not the files of the machine' }),
    read_only_root: z.boolean().meta({ description: 'Whether its root file system is read-only' }),
    network: z
      .enum(['none', 'own', 'host'])
      .meta({ description: 'none: loopback only. own: its own network. host: the network of the machine' }),
    memory_bytes: z.number().optional().meta({ description: 'Absent if there is no limit' }),
    pids: z
      .number()
      .optional()
      .meta({ description: 'Processes and threads at the same time. Absent if there is no limit' }),
    open_files: z.number().optional().meta({ description: 'Open files of each process' }),
    cpus: z.number().optional().meta({ description: 'CPU cores. Absent if there is no limit' }),
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
    description: 'Reads the running server itself, so changes made by other programs show too.',
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
      409: { when: 'it is a remote server', example: 'docs is a remote server, so it has no isolation here' },
    },
    extension: true,
  },
} as const satisfies Routes
