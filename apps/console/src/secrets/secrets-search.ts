import * as z from 'zod'

/** Which secret gets a value. */
export const SECRETS_SEARCH = z.object({ key: z.string().optional().catch(undefined) })
