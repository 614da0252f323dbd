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

/** Its password is a random key of 256 bits: there is nothing to guess, so nothing that must be slow. */
const COST = 2 ** 10

/** Where the sealed file is, and its key where there is no keyring. */
export const loginsDir = (stateDir: string) => join(stateDir, 'logins')

/**
 * Tokens of remote servers, sealed. Under a key of its own, in the keyring or in a private file: a login must be found
 * again after a restart without anybody typing the password of the secret store. Made with the first login.
 */
export function createLoginStore({ stateDir, env, logger, keyring }: LoginStoreOptions) {
  const dataDir = loginsDir(stateDir)
  const store = createEncryptedStore(
    // No variables: the password of the secret store is not the one of this.
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
