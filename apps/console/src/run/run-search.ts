import * as z from 'zod'

/** What a link can fill in. */
export const RUN_SEARCH = z.object({
  server: z.string().optional().catch(undefined),
  image: z.string().optional().catch(undefined),
  url: z.string().optional().catch(undefined),
  /** The field for JSON is open. */
  json: z.boolean().optional().catch(undefined),
})
