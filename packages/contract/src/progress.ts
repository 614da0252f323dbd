import * as z from 'zod'

export const progress = z
  .strictObject({
    phase: z
      .enum(['resolving', 'verifying', 'pulling', 'building', 'fetching', 'starting', 'connecting'])
      .meta({ description: 'Current step' }),
    done: z.number().optional().meta({ description: 'Bytes or steps done' }),
    total: z.number().optional().meta({ description: 'Bytes or steps in total, if known' }),
    detail: z.string().optional().meta({ description: 'What the daemon is working on' }),
  })
  .meta({ id: 'toolhaven.progress', description: 'Progress of a start' })
