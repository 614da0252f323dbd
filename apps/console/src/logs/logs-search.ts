import * as z from 'zod'

export const LOGS_SEARCH = z.object({
  q: z.string().optional().catch(undefined),
  previous: z.boolean().optional().catch(undefined),
  at: z.string().optional().catch(undefined),
})
