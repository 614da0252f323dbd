import { groupName } from '@toolhaven/contract/names'
import type { Logger } from '@toolhaven/core/ports/logger'
import type { RecordStore, StoredGroup } from '@toolhaven/core/ports/stores'
import * as z from 'zod'
import { createRecordStore } from './record-store.ts'

const FORMAT = 1

const storedGroup = z.strictObject({
  name: groupName,
  registeredClients: z.array(z.string()),
}) satisfies z.ZodType<StoredGroup>

export function createGroupStore(options: { dir: string; logger: Logger }): RecordStore<StoredGroup> {
  return createRecordStore<StoredGroup>({
    ...options,
    schema: storedGroup,
    format: FORMAT,
    migrations: {},
    nameOf: (group) => group.name,
  })
}
