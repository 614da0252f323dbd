import { queryOptions } from '@tanstack/react-query'
import { api } from './api.ts'
import { storedKeys } from './secrets/store-secret.ts'

/** Everything the console knows of the daemon, by key. Events keep it fresh (live/apply-event.ts). */

export const workloadsQuery = queryOptions({
  queryKey: ['workloads'],
  queryFn: async ({ signal }) => (await api.call('listWorkloads', { query: { all: true } }, signal)).workloads,
})

export const workloadQuery = (name: string) =>
  queryOptions({
    queryKey: ['workload', name, 'details'],
    queryFn: ({ signal }) => api.call('getWorkload', { params: { name } }, signal),
  })

export const lastLinesQuery = (name: string) =>
  queryOptions({
    queryKey: ['workload', name, 'last-lines'],
    queryFn: async ({ signal }) => {
      const lines = (await api.call('getWorkloadLogs', { params: { name } }, signal)).split('\n')
      return lines.filter((line) => line !== '').slice(-8)
    },
  })

/** Measured when asked for, and again when the user comes back to the page. */
export const statsQuery = (name: string) =>
  queryOptions({
    queryKey: ['workload', name, 'stats'],
    queryFn: ({ signal }) => api.call('getStats', { params: { name } }, signal),
    staleTime: 0,
    refetchOnWindowFocus: true,
  })

/** As above, of all servers that should run. */
export const statsListQuery = queryOptions({
  queryKey: ['stats'],
  queryFn: async ({ signal }) => (await api.call('listStats', {}, signal)).workloads,
  staleTime: 0,
  refetchOnWindowFocus: true,
})

export const clientsQuery = queryOptions({
  queryKey: ['clients', 'registered'],
  queryFn: ({ signal }) => api.call('listClients', {}, signal),
})

export const groupsQuery = queryOptions({
  queryKey: ['groups'],
  queryFn: async ({ signal }) => (await api.call('listGroups', {}, signal)).groups,
})

export const registryQuery = queryOptions({
  queryKey: ['registry', 'servers'],
  queryFn: async ({ signal }) => {
    const { servers, remote_servers } = await api.call('listServers', { params: { name: 'default' } }, signal)
    return [...servers, ...remote_servers]
  },
})

export const secretsQuery = queryOptions({
  queryKey: ['secrets', 'keys'],
  queryFn: ({ signal }) => storedKeys(api, signal),
})

export const toolLockQuery = (name: string) =>
  queryOptions({
    queryKey: ['workload', name, 'tools'],
    queryFn: ({ signal }) => api.call('getToolLock', { params: { name } }, signal),
  })

export const discoveryQuery = queryOptions({
  queryKey: ['clients', 'discovery'],
  queryFn: async ({ signal }) => (await api.call('discoverClients', {}, signal)).clients,
})

/** The daemon answers for a client by its type, in either spelling. */
export const clientPreviewQuery = (name: string, groups: readonly string[]) =>
  queryOptions({
    queryKey: ['clients', 'preview', name, groups.join(',')],
    queryFn: ({ signal }) =>
      api.call('previewClient', { params: { name }, query: { groups: groups.join(',') } }, signal),
    // Its file changes without an event.
    staleTime: 0,
  })

/** Asks the registry or the package index of the server, so only when the user asks. */
export const upgradeQuery = (name: string) =>
  queryOptions({
    queryKey: ['upgrade', name],
    queryFn: ({ signal }) => api.call('getUpgrade', { params: { name } }, signal),
    staleTime: 0,
    gcTime: 0,
  })

export const secretUsesQuery = queryOptions({
  queryKey: ['secrets', 'uses'],
  queryFn: async ({ signal }) => (await api.call('listSecretUses', {}, signal)).uses,
})

/** Events do not tell of it: pages that show it ask again when they open. */
export const runtimeQuery = queryOptions({
  queryKey: ['runtime'],
  queryFn: ({ signal }) => api.call('getRuntime', {}, signal),
  staleTime: 0,
})

/** What clients run on their own. Their files change without an event. */
export const foreignQuery = queryOptions({
  queryKey: ['clients', 'foreign'],
  queryFn: ({ signal }) => api.call('discoverServers', {}, signal),
  staleTime: 0,
})
