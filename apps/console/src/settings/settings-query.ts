import { queryOptions } from '@tanstack/react-query'
import { api } from '../api.ts'

export const settingsQuery = queryOptions({
  queryKey: ['settings'],
  queryFn: ({ signal }) => api.call('getSettings', {}, signal),
})
