import * as z from 'zod'
import { progress } from './progress.ts'

/** What a task that is followed as server-sent events says about itself while it goes on, or when it fails. */
export const taskEvents = [
  z.strictObject({
    state: z.literal('working').meta({ description: 'The task goes on' }),
    progress: progress.meta({ description: 'How far the task has come' }),
  }),
  z.strictObject({
    state: z.literal('failed').meta({ description: 'The task failed' }),
    status: z.int().meta({ description: 'The HTTP status of such a failure' }),
    message: z.string().meta({ description: 'What went wrong, and what to do' }),
  }),
] as const

export const taskStream = (description: string) => ({
  200: { description, schema: z.string(), contentType: 'text/event-stream' },
})
