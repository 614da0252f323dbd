import * as z from 'zod'

export const progress = z
  .strictObject({
    phase: z
      .enum(['resolving', 'verifying', 'pulling', 'building', 'fetching', 'starting', 'connecting'])
      .meta({ description: 'Current step' }),
    done: z.number().optional().meta({ description: 'Bytes or steps that are done' }),
    total: z.number().optional().meta({ description: 'Bytes or steps in all, when known' }),
    detail: z.string().optional().meta({ description: 'What is being worked on' }),
  })
  .meta({ id: 'toolhaven.progress', description: 'How far a start has come' })
