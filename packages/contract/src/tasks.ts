import * as z from 'zod'
import { progress } from './system.ts'

/** What a task that is followed as server-sent events says about itself while it goes on, or when it fails. */
export const taskEvents = [
  z.strictObject({ state: z.literal('working'), progress }),
  z.strictObject({
    state: z.literal('failed'),
    status: z.int().meta({ description: 'The HTTP status of such a failure' }),
    message: z.string(),
  }),
] as const

export const taskStream = (description: string) => ({
  200: { description, schema: z.string(), contentType: 'text/event-stream' },
})
