import * as z from 'zod'
import { progress } from './progress.ts'

/** What a task that is streamed as server-sent events reports about its progress or failure. */
export const taskEvents = [
  z.strictObject({
    state: z.literal('working').meta({ description: 'The task continues' }),
    progress: progress.meta({ description: 'Progress of the task' }),
  }),
  z.strictObject({
    state: z.literal('failed').meta({ description: 'The task failed' }),
    status: z.int().meta({ description: 'HTTP status for this failure' }),
    message: z.string().meta({ description: 'What went wrong, and what to do' }),
  }),
] as const

export const taskStream = (description: string) => ({
  200: { description, schema: z.string(), contentType: 'text/event-stream' },
})
