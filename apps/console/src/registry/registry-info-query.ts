import { queryOptions } from '@tanstack/react-query'
import { api } from '../api.ts'

export const registryInfoQuery = queryOptions({
  queryKey: ['registry', 'info'],
  queryFn: async ({ signal }) => {
    const [registry] = (await api.call('listRegistries', {}, signal)).registries
    if (!registry) throw new Error('The daemon has no registry.')
    return registry
  },
})
