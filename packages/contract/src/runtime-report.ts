import * as z from 'zod'

export const runtimeReport = z
  .strictObject({
    name: z.string().meta({ description: 'Runtime in use: docker, podman or process' }),
    state: z
      .enum(['healthy', 'unhealthy', 'undetected'])
      .meta({ description: 'Whether the runtime can run workloads' }),
    version: z.string().optional().meta({ description: 'Version of the engine' }),
    reason: z.string().optional().meta({ description: 'Why the runtime is not healthy' }),
    sandbox: z.string().optional().meta({ description: 'What confines workloads' }),
    notes: z.array(z.string()).meta({ description: 'What this runtime cannot enforce' }),
    api_port_problem: z
      .string()
      .optional()
      .meta({ description: 'Why the API cannot be reached at its port. Absent when it can' }),
    tried: z
      .array(
        z.strictObject({
          candidate: z.string().meta({ description: 'Runtime or socket that was tried' }),
          outcome: z.string().meta({ description: 'Why it is or is not used' }),
        }),
      )
      .meta({ description: 'Runtimes that were looked for, in order' }),
  })
  .meta({ id: 'toolhaven.runtimeReport', description: 'Where workloads run, and what that runtime cannot enforce' })
export type RuntimeReport = z.infer<typeof runtimeReport>
