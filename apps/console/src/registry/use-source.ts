import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api } from '../api.ts'
import { sourceRequest, type SourceWish } from './source-wish.ts'

const params = { name: 'default' }

function useFreshRegistry() {
  const cache = useQueryClient()
  return () => cache.invalidateQueries({ queryKey: ['registry'] })
}

/** The daemon reads and checks a source before it uses it; one that does not hold changes nothing. */
export function useSetSource() {
  const refetch = useFreshRegistry()
  return useMutation({
    mutationFn: (wish: SourceWish) => api.call('updateRegistry', { params, body: sourceRequest(wish) }),
    onSuccess: refetch,
  })
}

export function useTestSource() {
  return useMutation({
    mutationFn: (wish: SourceWish) => api.call('testRegistry', { params, body: sourceRequest(wish) }),
  })
}

export function useRefresh() {
  const refetch = useFreshRegistry()
  return useMutation({ mutationFn: () => api.call('refreshRegistry', { params }), onSuccess: refetch })
}
