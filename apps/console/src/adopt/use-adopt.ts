import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { AdoptRequest } from '@toolhaven/contract/adopt'
import { api } from '../api.ts'
import { ensureSecretStore } from '../secrets/store-secret.ts'

export type Adopting = ReturnType<typeof useAdopt>

interface Wish {
  request: AdoptRequest
  hasKeys: boolean
}

/** The daemon answers once the server runs and the files are written; until then nothing in them has changed. */
export function useAdopt() {
  const cache = useQueryClient()
  return useMutation({
    mutationFn: async ({ request, hasKeys }: Wish) => {
      if (hasKeys) await ensureSecretStore(api)
      return api.call('adoptServer', { body: request })
    },
    onSettled: () => Promise.all(['clients', 'secrets'].map((key) => cache.invalidateQueries({ queryKey: [key] }))),
  })
}
