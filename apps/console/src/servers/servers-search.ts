import * as z from 'zod'
import { WORKLOAD_STATUS_NAMES } from '@toolhaven/contract/workload-status'

/** Filters and order of the list lie in its address. What an old link has that no longer exists is left out. */
export const SERVERS_SEARCH = z.object({
  q: z.string().optional().catch(undefined),
  group: z.string().optional().catch(undefined),
  status: z.enum(WORKLOAD_STATUS_NAMES).optional().catch(undefined),
  sort: z.enum(['name', 'status', 'group', 'created']).optional().catch(undefined),
})
export type ServersSearch = z.infer<typeof SERVERS_SEARCH>
