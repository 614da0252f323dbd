import * as z from 'zod'

/** The groups that are chosen, with commas between them. Left out: those that the client is connected to. */
export const CLIENT_SEARCH = z.object({ groups: z.string().optional().catch(undefined) })
