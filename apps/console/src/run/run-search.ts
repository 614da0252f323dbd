import * as z from 'zod'

/** What a link can fill in. */
export const RUN_SEARCH = z.object({
  server: z.string().optional().catch(undefined),
  image: z.string().optional().catch(undefined),
  url: z.string().optional().catch(undefined),
})
