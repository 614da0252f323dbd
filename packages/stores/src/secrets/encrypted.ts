import { randomBytes } from 'node:crypto'
import { dirname } from 'node:path'
import { invalid, unavailable } from '@toolhaven/core/errors'
import type { SecretsProvider } from '@toolhaven/core/ports/secrets'
import { atomicWrite } from '../files/atomic-write.ts'
import { ensurePrivateFolder } from '../files/private-folder.ts'
import { readPrivateFile } from '../files/private-file.ts'
import { createSerialQueue } from '../files/serial-queue.ts'
import {
  makeSealingKey,
  parseSealedFile,
  proveSealingKey,
  seal,
  SCRYPT_COST,
  unseal,
  type SealingKey,
} from './sealed-file.ts'

export interface EncryptedSecrets extends SecretsProvider {
  isPassword(password: string): Promise<boolean>
  /** Encrypts everything again with another password. The old file stays valid until the new one replaces it. */
  changePassword(oldPassword: string, newPassword: string): Promise<void>
}

export interface EncryptedOptions {
  file: string
  password: string
  /** scrypt's N for everything that is encrypted from now on. */
  cost?: number
}

const MAX_BYTES = 32 * 1024 * 1024

/** The name of a store's password in the keyring; undefined if there is no store. Needs no password. */
export async function readStoreId(file: string): Promise<string | undefined> {
  const text = await readPrivateFile(file, { maxBytes: MAX_BYTES })
  return text === undefined ? undefined : parseSealedFile(text).header.id
}

export function newStoreId(): string {
  return randomBytes(16).toString('hex')
}

/** Creates an empty store. The file must not exist yet. */
export async function createEncryptedSecrets(options: EncryptedOptions & { id: string }): Promise<EncryptedSecrets> {
  await ensurePrivateFolder(dirname(options.file))
  if ((await readPrivateFile(options.file, { maxBytes: MAX_BYTES })) !== undefined) {
    throw invalid('there is a secret store already: open it with its password')
  }
  const key = await makeSealingKey(options.password, options.id, options.cost ?? SCRYPT_COST)
  await atomicWrite(options.file, seal(new Map(), key))
  return encryptedSecrets(options, key, new Map())
}

/** Opens a store; undefined if the password is wrong. The key is derived only here. */
export async function openEncryptedSecrets(options: EncryptedOptions): Promise<EncryptedSecrets | undefined> {
  const text = await readPrivateFile(options.file, { maxBytes: MAX_BYTES })
  if (text === undefined)
    throw unavailable('the secret store has no file: restore it from a backup, or set up secrets again')
  const sealed = parseSealedFile(text)
  const key = await proveSealingKey(options.password, sealed.header)
  return key === undefined ? undefined : encryptedSecrets(options, key, unseal(sealed, key))
}

export function wrongPassword() {
  return invalid('wrong password for the secret store: nothing was changed, try again with the one it was set up with')
}

function encryptedSecrets(options: EncryptedOptions, opened: SealingKey, found: Map<string, string>): EncryptedSecrets {
  const inOrder = createSerialQueue()
  let key = opened
  let entries: ReadonlyMap<string, string> = found

  /** Changes the file before memory, so that a failed write changes nothing. */
  async function commit(next: ReadonlyMap<string, string>, nextKey: SealingKey): Promise<void> {
    const text = seal(next, nextKey)
    if (Buffer.byteLength(text) > MAX_BYTES)
      throw invalid('the secret store is full (32 MiB): delete secrets that are not needed')
    await atomicWrite(options.file, text)
    entries = next
    key = nextKey
  }

  return {
    type: 'encrypted',
    capabilities: { can_read: true, can_write: true, can_delete: true, can_list: true, can_cleanup: true },
    async get(name) {
      return entries.get(name)
    },
    set: (name, value) => inOrder('', () => commit(new Map(entries).set(name, value), key)),
    delete: (name) =>
      inOrder('', async () => {
        const next = new Map(entries)
        if (!next.delete(name)) return false
        await commit(next, key)
        return true
      }),
    async list() {
      return [...entries.keys()].toSorted().map((name) => ({ key: name }))
    },
    async isPassword(password) {
      return (await proveSealingKey(password, key.header)) !== undefined
    },
    changePassword: (oldPassword, newPassword) =>
      inOrder('', async () => {
        if (newPassword === '') throw invalid('the new password must not be empty')
        if ((await proveSealingKey(oldPassword, key.header)) === undefined) throw wrongPassword()
        await commit(entries, await makeSealingKey(newPassword, key.header.id, options.cost ?? SCRYPT_COST))
      }),
  }
}
