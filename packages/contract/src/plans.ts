import * as z from 'zod'
import { workloadName } from './names.ts'
import { runConfig } from './run-config.ts'

export const difference = z
  .strictObject({
    field: z
      .string()
      .meta({ description: 'Field of the run configuration; an entry of a map is written as env_vars.LEVEL' }),
    before: z.unknown().optional().meta({ description: 'Present value; absent if it is not set' }),
    after: z.unknown().optional().meta({ description: 'Future value; absent if it would not be set' }),
  })
  .meta({ id: 'toolhaven.difference', description: 'A field that would change' })
export type Difference = z.infer<typeof difference>

export const planProblem = z
  .strictObject({
    status: z.int().meta({ description: 'HTTP status that the request itself would get' }),
    field: z
      .string()
      .optional()
      .meta({ description: 'Field of the request; absent if the problem concerns the whole request' }),
    message: z.string().meta({ description: 'What is wrong, and what to do' }),
  })
  .meta({ id: 'toolhaven.planProblem', description: 'Why a request would be refused' })
export type PlanProblem = z.infer<typeof planProblem>

export const workloadPlan = z
  .strictObject({
    name: workloadName.optional().meta({ description: 'Name of the workload; absent if it cannot be determined' }),
    port: z.int().optional().meta({ description: 'Port of an existing workload, or the requested one' }),
    configuration: runConfig
      .optional()
      .meta({ description: 'Configuration that would be in force; absent if the problems prevent computing it' }),
    differences: z
      .array(difference)
      .meta({ description: 'Differences from the configuration in force; for a new workload, all fields' }),
    problems: z.array(planProblem).meta({ description: 'Empty if the request would succeed' }),
    restarts: z.boolean().meta({ description: 'Whether a running workload would restart' }),
  })
  .meta({ id: 'toolhaven.workloadPlan', description: 'What a request would do. Nothing was changed' })
export type WorkloadPlan = z.infer<typeof workloadPlan>

/** A query parameter of every route that has a plan. */
export const dryRun = z
  .stringbool({ truthy: ['true'], falsy: ['false'], case: 'sensitive' })
  .optional()
  .meta({
    description: 'Changes nothing and answers 200 with what the request would do, and every problem. An extension',
  })

/** The answer of a route that has a plan. */
export const planOf = (example: WorkloadPlan) =>
  ({ description: 'With dry_run=true: what the request would do', schema: workloadPlan, example }) as const

/** A query parameter of the routes that create and edit. */
export const changeQuery = z.strictObject({
  known_only: z
    .stringbool({ truthy: ['true'], falsy: ['false'], case: 'sensitive' })
    .optional()
    .meta({
      description:
        'Refuses an image that neither the registry nor this machine has, if it has no tag and no path, or looks like a name from an MCP registry (io.github.someone/weather). An extension',
    }),
  dry_run: dryRun,
})

export const editQuery = changeQuery.extend({
  revision: z
    .string()
    .optional()
    .meta({ description: 'Refuses the edit if the configuration has another revision now. An extension' }),
})

export const changedMeanwhile = {
  when: 'the configuration has another revision now',
  example: 'everything has changed in the meantime; read its configuration again',
} as const
