import { queryOptions } from '@tanstack/react-query'
import { api } from '../api.ts'
import type { EditBase } from './edit-base.ts'
import { keptUndoOf } from './kept-undo.ts'

/** What an edit begins with. The revision is read first: if the rest is newer, the edit is refused. */
export const editBaseQuery = (name: string) =>
  queryOptions({
    queryKey: ['workload', name, 'edit-base'],
    queryFn: async ({ signal }): Promise<EditBase> => {
      const params = { name }
      const { request, revision } = await api.call('getWorkloadRequest', { params }, signal)
      const details = await api.call('getWorkload', { params }, signal)
      const { headers, headers_from_secrets } = details
      // Includes headers whose values the daemon moved to the secret store.
      const known = { ...(headers && { headers }), ...(headers_from_secrets && { headers_from_secrets }) }
      return { name, revision, request: { ...request, ...known }, details }
    },
    // A page that opens begins with what is configured now.
    staleTime: 0,
  })

export const undoQuery = (name: string) =>
  queryOptions({
    queryKey: ['undo', name],
    queryFn: () => keptUndoOf(name),
    initialData: () => keptUndoOf(name),
    enabled: false,
    gcTime: Infinity,
  })
