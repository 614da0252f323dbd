import * as z from 'zod'

/** The chosen groups, separated by commas (default: the groups that the client is connected to). */
export const CLIENT_SEARCH = z.object({ groups: z.string().optional().catch(undefined) })

/** Whether clients that are not installed are listed too. */
export const CLIENTS_SEARCH = z.object({ all: z.boolean().optional().catch(undefined) })
