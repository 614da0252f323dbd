import { clientType } from '@toolhaven/contract/client-types'
import type { StoredAdoption } from '@toolhaven/core/ports/foreign-entries'
import type { Logger } from '@toolhaven/core/ports/logger'
import type { RecordStore } from '@toolhaven/core/ports/stores'
import * as z from 'zod'
import { createRecordStore } from '../files/record-store.ts'

const storedAdoption = z.strictObject({
  name: z.string(),
  phase: z.enum(['starting', 'adopted']),
  url: z.string(),
  entries: z.array(z.strictObject({ client: clientType, path: z.string(), key: z.string() })),
  originals: z.union([z.strictObject({ texts: z.array(z.string()) }), z.strictObject({ secret: z.string() })]),
  secrets: z.array(z.string()),
}) satisfies z.ZodType<StoredAdoption>

/** What was adopted and how it was before, one 0600 file each; keys are not in them. */
export function createAdoptionStore(options: { dir: string; logger: Logger }): RecordStore<StoredAdoption> {
  return createRecordStore<StoredAdoption>({
    ...options,
    schema: storedAdoption,
    format: 1,
    migrations: {},
    nameOf: ({ name }) => name,
  })
}
