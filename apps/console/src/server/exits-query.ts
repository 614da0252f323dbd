import { queryOptions } from '@tanstack/react-query'
import { api } from '../api.ts'

/** Below the key of the server: a new status makes it stale. */
export const exitsQuery = (name: string) =>
  queryOptions({
    queryKey: ['workload', name, 'exits'],
    queryFn: async ({ signal }) => (await api.call('listExits', { params: { name } }, signal)).exits,
  })
