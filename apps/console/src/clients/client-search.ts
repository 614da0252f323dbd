import * as z from 'zod'

/** The groups that are chosen, with commas between them. Left out: those that the client is connected to. */
export const CLIENT_SEARCH = z.object({ groups: z.string().optional().catch(undefined) })

/** Whether those that are not installed are listed too. */
export const CLIENTS_SEARCH = z.object({ all: z.boolean().optional().catch(undefined) })
