import { workloadName } from '@toolhaven/contract/names'
import type { Logger } from '@toolhaven/core/ports/logger'
import type { RecordStore, StoredSightings } from '@toolhaven/core/ports/stores'
import * as z from 'zod'
import { createRecordStore } from './record-store.ts'

const storedSightings = z.strictObject({
  name: workloadName,
  since: z.string(),
  places: z.array(
    z.strictObject({
      host: z.string(),
      port: z.int(),
      outcome: z.enum(['reached', 'unlisted', 'refused', 'unreachable', 'unfit']),
      reason: z.string().exactOptional(),
      speaks: z.array(z.enum(['http', 'http-tunnel', 'tls', 'other'])),
      paths: z.array(z.string()),
      count: z.int(),
      firstAt: z.string(),
      lastAt: z.string(),
    }),
  ),
  dropped: z.int(),
}) satisfies z.ZodType<StoredSightings>

/** The network use of each workload, in a file apart from its record, because it is written often and may be lost. */
export function createSightingsStore(options: { dir: string; logger: Logger }): RecordStore<StoredSightings> {
  return createRecordStore<StoredSightings>({
    ...options,
    schema: storedSightings,
    format: 1,
    migrations: {},
    quotesServers: true,
    nameOf: ({ name }) => name,
  })
}
