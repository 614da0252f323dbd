import * as z from 'zod'

/** A variable that the server said it needs. */
export const EDIT_SEARCH = z.object({ add: z.string().max(60).optional().catch(undefined) })
