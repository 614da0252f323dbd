import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../api.ts'
import { secretsQuery } from '../queries.ts'
import type { RegistryEntry } from '../registry/choose-entries.ts'
import type { RunForm } from './run-form.ts'
import { runServer } from './run-server.ts'

/** Runs what the form says; a second try changes the server that the first one made. */
export function useRun(entry: RegistryEntry | undefined) {
  const cache = useQueryClient()
  const [stored, setStored] = useState<ReadonlyMap<string, string>>(new Map())
  const run = useMutation({
    mutationFn: async ({ form, made }: { form: RunForm; made: string | undefined }) => {
      const next = new Map(stored)
      try {
        return await runServer(api, { form, entry, made, stored: next })
      } finally {
        // Also after a failure: what was stored until then belongs to this form.
        setStored(next)
        await cache.invalidateQueries(secretsQuery)
      }
    },
  })
  return { run, stored }
}
