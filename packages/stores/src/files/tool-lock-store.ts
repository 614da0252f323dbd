import { workloadName } from '@toolhaven/contract/names'
import type { Logger } from '@toolhaven/core/ports/logger'
import type { LockedTool, RecordStore, StoredToolLock } from '@toolhaven/core/ports/stores'
import * as z from 'zod'
import { createRecordStore } from './record-store.ts'

const lockedTools = z.array(
  z.strictObject({
    name: z.string(),
    hash: z.string(),
    // What is shown of it is parsed again: a damaged one is set aside here and now.
    definition: z.string().refine(isJson, 'must be JSON'),
  }) satisfies z.ZodType<LockedTool>,
)

const storedToolLock = z.strictObject({
  name: workloadName,
  since: z.string(),
  tools: lockedTools,
  seen: z.strictObject({ at: z.string(), revision: z.string(), tools: lockedTools }).exactOptional(),
}) satisfies z.ZodType<StoredToolLock>

/** The tools of workloads as they were accepted, one file each. */
export function createToolLockStore(options: { dir: string; logger: Logger }): RecordStore<StoredToolLock> {
  return createRecordStore<StoredToolLock>({
    ...options,
    schema: storedToolLock,
    format: 1,
    migrations: {},
    keepsDamaged: true,
    quotesServers: true,
    nameOf: ({ name }) => name,
  })
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    // The caller says what is wrong.
    return false
  }
}
