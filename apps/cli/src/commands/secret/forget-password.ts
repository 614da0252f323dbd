import { join } from 'node:path'
import { ThvError, invalid, notFound } from '@toolhaven/core/errors'
import { readStoreId } from '@toolhaven/stores/secrets/encrypted'
import type { Keyring } from '@toolhaven/stores/secrets/keyring'

export interface PasswordPlaces {
  keyring: Keyring
  /** Path of the encrypted store. */
  dataDir: string
}

/** Either the password itself, requested when needed, or the consent to lose what it seals. */
export type Proof = { password: () => Promise<string> } | { mayLose: () => Promise<boolean> }

/** Returns false if the keyring has none. Does not touch the store's file. */
export async function forgetPassword({ keyring, dataDir }: PasswordPlaces, proof: Proof): Promise<boolean> {
  const storeId = await readStoreId(join(dataDir, 'secrets.enc'))
  if (storeId === undefined) throw notFound('there is no encrypted secret store, so no password for one is stored')
  const kept = await keyring.get(storeId)
  if (kept === undefined) return false
  if ('mayLose' in proof) {
    if (!(await proof.mayLose())) throw new ThvError('conflict', 'cancelled; nothing was changed')
  } else if ((await proof.password()) !== kept) {
    throw invalid(
      'that is not the password of the secret store; nothing was changed\nIf you do not know it, see --force in "thv secret reset-keyring --help".',
    )
  }
  await keyring.delete(storeId)
  return true
}
