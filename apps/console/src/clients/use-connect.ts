import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { ClientType } from '@toolhaven/contract/client-types'
import { api } from '../api.ts'

export interface Connection {
  name: ClientType
  joins?: readonly string[]
  leaves?: readonly string[]
}

/** The daemon writes the client's file and says what it could not do. */
export function useConnect() {
  const cache = useQueryClient()
  return useMutation({
    mutationFn: async ({ name, joins = [], leaves = [] }: Connection) => {
      for (const group of leaves) await api.call('deleteClientFromGroup', { params: { name, group } })
      if (joins.length > 0) return api.call('createClient', { body: { name, groups: [...joins] } })
      return undefined
    },
    onSettled: () => Promise.all(['clients', 'groups'].map((key) => cache.invalidateQueries({ queryKey: [key] }))),
  })
}
