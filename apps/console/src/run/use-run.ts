import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api } from '../api.ts'
import { secretsQuery } from '../queries.ts'
import type { RegistryEntry } from '../registry/choose-entries.ts'
import { storeSecret } from '../secrets/store-secret.ts'
import { editOf, newSecrets, requestOf, type RunForm, secretNameFor } from './run-form.ts'

/** Stores what is secret, then runs the server; a second try changes the server that the first one made. */
export function useRun(entry: RegistryEntry | undefined) {
  const cache = useQueryClient()
  return useMutation({
    mutationFn: async ({ form, made }: { form: RunForm; made: string | undefined }) => {
      await storeSecrets(form)
      await cache.invalidateQueries(secretsQuery)
      const body = requestOf(form, entry)
      if (made === undefined) return api.call('createWorkload', { body })
      return api.call('editWorkload', { params: { name: made }, body: editOf(body) })
    },
  })
}

async function storeSecrets(form: RunForm): Promise<void> {
  for (const variable of newSecrets(form)) await storeSecret(secretNameFor(form, variable), variable.value)
}
