import * as z from 'zod'

/** The change whose plan is shown. */
export const NETWORK_SEARCH = z.object({
  allow: z.string().optional().catch(undefined),
  remove: z.string().optional().catch(undefined),
  step: z.enum(['observe', 'stop', 'lock']).optional().catch(undefined),
})
export type NetworkSearch = z.infer<typeof NETWORK_SEARCH>
