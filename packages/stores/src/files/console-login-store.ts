import type { Logger } from '@toolhaven/core/ports/logger'
import type { RecordStore, StoredConsoleLogin } from '@toolhaven/core/ports/stores'
import * as z from 'zod'
import { createRecordStore } from './record-store.ts'

const storedConsoleLogin = z.strictObject({
  name: z.string().regex(/^[0-9a-f]{12}$/),
  hash: z.string(),
  keyHash: z.string(),
  createdAt: z.iso.datetime(),
  expiresAt: z.iso.datetime(),
}) satisfies z.ZodType<StoredConsoleLogin>

/** Browsers that are logged in to the console, by the hashes of their tokens. */
export function createConsoleLoginStore(options: { dir: string; logger: Logger }): RecordStore<StoredConsoleLogin> {
  return createRecordStore<StoredConsoleLogin>({
    ...options,
    schema: storedConsoleLogin,
    format: 1,
    migrations: {},
    nameOf: ({ name }) => name,
  })
}
