import { join } from 'node:path'
import type { Logger } from '@toolhaven/core/ports/logger'
import { createSerialQueue } from '../files/serial-queue.ts'
import { createEncryptedStore } from '../secrets/encrypted-store.ts'
import { readStoreId, type EncryptedSecrets } from '../secrets/encrypted.ts'
import { createOsKeyring, type Keyring } from '../secrets/keyring.ts'

export interface LoginStoreOptions {
  stateDir: string
  env: Readonly<Record<string, string | undefined>>
  logger: Logger
  keyring?: Keyring
}

/** The password is a random 256-bit key that nobody can guess, so deriving the key need not be slow. */
const COST = 2 ** 10

/** The folder of the sealed file, and of its key if there is no keyring. */
export const loginsDir = (stateDir: string) => join(stateDir, 'logins')

/**
 * Sealed tokens of remote servers. They have their own key, in the keyring or in a private file, so that logins survive a
 * restart without anybody typing the password of the secret store. The file is created with the first login.
 */
export function createLoginStore({ stateDir, env, logger, keyring }: LoginStoreOptions) {
  const dataDir = loginsDir(stateDir)
  const store = createEncryptedStore(
    // No environment variables: their password is the secret store's, not this file's.
    { dataDir, env: {}, keyring: keyring ?? createOsKeyring({ env }), logger },
    COST,
  )
  const inTurn = createSerialQueue()
  const open = async (): Promise<EncryptedSecrets> => (await store.setUp(undefined)).provider
  const openExisting = async (): Promise<EncryptedSecrets | undefined> =>
    (await readStoreId(join(dataDir, 'secrets.enc'))) === undefined ? undefined : store.open()
  const keyOf = (name: string) => name.toLowerCase()
  return {
    get: (name: string): Promise<string | undefined> =>
      inTurn('', async () => (await openExisting())?.get(keyOf(name))),
    set: (name: string, text: string): Promise<void> => inTurn('', async () => (await open()).set(keyOf(name), text)),
    delete: (name: string): Promise<void> =>
      inTurn('', async () => void (await (await openExisting())?.delete(keyOf(name)))),
  }
}
