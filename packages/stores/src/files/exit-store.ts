import { exitRecord } from '@toolhaven/contract/exits'
import { workloadName } from '@toolhaven/contract/names'
import type { Logger } from '@toolhaven/core/ports/logger'
import type { RecordStore, StoredExits } from '@toolhaven/core/ports/stores'
import * as z from 'zod'
import { createRecordStore } from './record-store.ts'

const storedExits = z.strictObject({ name: workloadName, exits: z.array(exitRecord) })

/** How the servers of workloads ended, one file per workload. May be lost. */
export function createExitStore(options: { dir: string; logger: Logger }): RecordStore<StoredExits> {
  return createRecordStore<StoredExits>({
    ...options,
    schema: storedExits,
    format: 1,
    migrations: {},
    quotesServers: true,
    nameOf: ({ name }) => name,
  })
}
