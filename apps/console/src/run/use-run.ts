import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api } from '../api.ts'
import { secretsQuery } from '../queries.ts'
import type { RegistryEntry } from '../registry/choose-entries.ts'
import { storeSecret } from '../secrets/store-secret.ts'
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
  for (const variable of newSecrets(form)) await storeSecret(secretNameFor(form, variable), variable.value)
}
