import * as z from 'zod'
import { workloadName } from './names.ts'
import { runConfig } from './run-config.ts'

export const difference = z
  .strictObject({
    field: z.string().meta({ description: 'Of the run configuration; an entry of a map as env_vars.LEVEL' }),
    before: z.unknown().optional().meta({ description: 'Left out: it is not set now' }),
    after: z.unknown().optional().meta({ description: 'Left out: it would not be set' }),
  })
  .meta({ id: 'toolhaven.difference', description: 'A field that would change' })
export type Difference = z.infer<typeof difference>

export const planProblem = z
  .strictObject({
    status: z.int().meta({ description: 'The status that the request itself would be answered with' }),
    field: z.string().optional().meta({ description: 'Of the request; left out: it is about the whole of it' }),
    message: z.string().meta({ description: 'What is wrong, and what to do about it' }),
  })
  .meta({ id: 'toolhaven.planProblem', description: 'Why a request would be refused' })
export type PlanProblem = z.infer<typeof planProblem>

export const workloadPlan = z
  .strictObject({
    name: workloadName.optional().meta({ description: 'Left out: it could not be found out' }),
    port: z.int().optional().meta({ description: 'Of an existing workload, or the one that was asked for' }),
    configuration: runConfig
      .optional()
      .meta({ description: 'As it would be in force; left out: the problems do not let it be found out' }),
    differences: z.array(difference).meta({ description: 'From the configuration now in force; all of a new one' }),
    problems: z.array(planProblem).meta({ description: 'Empty: the request would be carried out' }),
    restarts: z.boolean().meta({ description: 'Whether a workload that runs now would restart' }),
  })
  .meta({ id: 'toolhaven.workloadPlan', description: 'What a request would do; nothing of it was done' })
export type WorkloadPlan = z.infer<typeof workloadPlan>

/** For the query of a route that has a plan. */
export const dryRun = z
  .stringbool({ truthy: ['true'], falsy: ['false'], case: 'sensitive' })
  .optional()
  .meta({
    description: 'Changes nothing and answers 200 with what the request would do, and every problem. An extension',
  })

/** Of a route that has a plan. */
export const planOf = (example: WorkloadPlan) =>
  ({ description: 'With dry_run=true: what the request would do', schema: workloadPlan, example }) as const

/** Of the routes that create and edit. */
export const changeQuery = z.strictObject({
  known_only: z
    .stringbool({ truthy: ['true'], falsy: ['false'], case: 'sensitive' })
    .optional()
    .meta({
      description:
        'Refuses an image without tag and path, or in the form of a name of an MCP registry (io.github.someone/weather), that neither the registry nor this machine has. An extension',
    }),
  dry_run: dryRun,
})

export const editQuery = changeQuery.extend({
  revision: z
    .string()
    .optional()
    .meta({ description: 'Refuses the edit when the configuration is of another revision by now. An extension' }),
})

export const changedMeanwhile = {
  when: 'the configuration is of another revision by now',
  example: 'everything was changed meanwhile; read its configuration again',
} as const
