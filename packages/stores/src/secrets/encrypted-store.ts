import { join } from 'node:path'
import { invalid, unavailable } from '@toolhaven/core/errors'
import {
  createEncryptedSecrets,
  newStoreId,
  openEncryptedSecrets,
  readStoreId,
  wrongPassword,
  type EncryptedSecrets,
} from './encrypted.ts'
import {
  candidatePasswords,
  describeSource,
  keepInKeyring,
  PASSWORD_VARIABLE,
  passwordForNewStore,
  removeKeyFile,
  unknownPassword,
  type FoundPassword,
  type PasswordSources,
} from './password.ts'

/** The encrypted store of an installation, with the places where its password may be kept. */
export interface EncryptedStore {
  setUp(given: string | undefined): Promise<{ provider: EncryptedSecrets; message: string }>
  open(): Promise<EncryptedSecrets>
  changePassword(oldPassword: string | undefined, newPassword: string): Promise<{ message: string }>
}

/** Calls must not overlap. The caller runs them one at a time. */
export function createEncryptedStore(sources: PasswordSources, cost?: number): EncryptedStore {
  const file = join(sources.dataDir, 'secrets.enc')
  const costOption = cost === undefined ? {} : { cost }
  // One store in memory per file, because two would overwrite each other's changes.
  let current: EncryptedSecrets | undefined
  /** The sentence about the password from the last time it was proved. */
  let message = ''

  async function openWith(found: FoundPassword): Promise<EncryptedSecrets | undefined> {
    if (current === undefined) return openEncryptedSecrets({ file, password: found.password, ...costOption })
    return (await current.isPassword(found.password)) ? current : undefined
  }

  const openExisting = (storeId: string, given: string | undefined) =>
    openFirst(candidatePasswords(sources, storeId, given), openWith)

  async function begin(storeId: string, given: string | undefined) {
    const found = await passwordForNewStore(sources, storeId, given)
    return {
      found,
      secrets: await createEncryptedSecrets({ file, password: found.password, id: storeId, ...costOption }),
    }
  }

  return {
    async setUp(given) {
      const existing = await readStoreId(file)
      // If the file is gone, the store in memory is no longer valid.
      if (existing === undefined) current = undefined
      // The store is open and no new password was given, so nothing changes.
      if (current !== undefined && (given ?? '') === '') return { provider: current, message }
      const storeId = existing ?? newStoreId()
      const { secrets, found } = await (existing === undefined ? begin(storeId, given) : openExisting(storeId, given))
      current = secrets
      const remembered = found.source === 'request' && (await keepInKeyring(sources, storeId, found.password))
      message = describeSource(found.source, remembered)
      return { provider: secrets, message }
    },
    async open() {
      if (current !== undefined) return current
      const storeId = await readStoreId(file)
      if (storeId === undefined) {
        throw unavailable('the secret store has no file: restore it from a backup, or set up secrets again')
      }
      const { secrets, found } = await openExisting(storeId, undefined)
      current = secrets
      message = describeSource(found.source, false)
      return secrets
    },
    async changePassword(oldPassword, newPassword) {
      const storeId = await readStoreId(file)
      if (storeId === undefined) throw unavailable('there is no secret store yet: set one up first')
      const { secrets, found } = await openExisting(storeId, oldPassword)
      current = secrets
      await secrets.changePassword(found.password, newPassword)
      await removeKeyFile(sources.dataDir)
      message = describeSource('request', await keepInKeyring(sources, storeId, newPassword))
      return { message }
    },
  }
}

/** The first password that opens the store. The error names a wrong password that the user gave. */
async function openFirst(
  candidates: AsyncIterable<FoundPassword>,
  openWith: (found: FoundPassword) => Promise<EncryptedSecrets | undefined>,
): Promise<{ secrets: EncryptedSecrets; found: FoundPassword }> {
  let last: FoundPassword | undefined
  for await (const found of candidates) {
    last = found
    const secrets = await openWith(found)
    if (secrets !== undefined) return { secrets, found }
  }
  if (last?.source === 'request') throw wrongPassword()
  if (last?.source !== 'variable') throw unknownPassword()
  throw invalid(`${PASSWORD_VARIABLE} is not the password of the secret store: correct it; nothing was changed`)
}
