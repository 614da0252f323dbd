import * as z from 'zod'

export const LOGS_SEARCH = z.object({
  q: z.string().optional().catch(undefined),
  previous: z.boolean().optional().catch(undefined),
  at: z.string().optional().catch(undefined),
})

/** Of the page with the lines of several servers. */
export const MERGED_LOGS_SEARCH = LOGS_SEARCH.extend({
  /** Names, separated by commas (default: every server). */
  servers: z.string().optional().catch(undefined),
  stream: z.enum(['stdout', 'stderr']).optional().catch(undefined),
})
