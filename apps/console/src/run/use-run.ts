import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api, isNotFound } from '../api.ts'
import { secretsQuery } from '../queries.ts'
import type { RegistryEntry } from '../registry/choose-entries.ts'
import { newSecrets, requestOf, type RunForm, secretNameFor } from './run-form.ts'

/** What an edit would keep if it were left out, though the form has it empty now. */
const CLEARED = { cmd_arguments: null, volumes: null, permission_profile: null, resources: null, accept_mounts: null }

/** Stores what is secret, then runs the server; a second try changes the server that the first one made. */
export function useRun(entry: RegistryEntry | undefined) {
  const cache = useQueryClient()
  return useMutation({
    mutationFn: async ({ form, made }: { form: RunForm; made: string | undefined }) => {
      await storeSecrets(form)
      await cache.invalidateQueries(secretsQuery)
      const body = requestOf(form, entry)
      if (made === undefined) return api.call('createWorkload', { body })
      const { name: _, ...change } = body
      return api.call('editWorkload', { params: { name: made }, body: { ...CLEARED, ...change } })
    },
  })
}

async function storeSecrets(form: RunForm): Promise<void> {
  const fresh = newSecrets(form)
  if (fresh.length === 0) return
  await api.call('getSecretsProvider', {}).catch(async (error: unknown) => {
    if (!isNotFound(error)) throw error
    await api.call('setupSecrets', { body: { provider_type: 'encrypted' } })
  })
  const { keys } = await api.call('listSecrets', {})
  const known = new Set(keys.map(({ key }) => key))
  for (const variable of fresh) {
    const key = secretNameFor(form, variable)
    const { value } = variable
    if (known.has(key)) await api.call('updateSecret', { params: { key }, body: { value } })
    else await api.call('createSecret', { body: { key, value } })
  }
}
