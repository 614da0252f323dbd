import { join } from 'node:path'
import { ThvError, invalid, notFound } from '@toolhaven/core/errors'
import { readStoreId } from '@toolhaven/stores/secrets/encrypted'
import type { Keyring } from '@toolhaven/stores/secrets/keyring'

export interface PasswordPlaces {
  keyring: Keyring
  /** Where the encrypted store is. */
  dataDir: string
}

/** Either the password itself, asked for when it is needed, or the consent to lose what it seals. */
export type Proof = { password: () => Promise<string> } | { mayLose: () => Promise<boolean> }

/** False when the keyring had none. The store's file is not touched. */
export async function forgetPassword({ keyring, dataDir }: PasswordPlaces, proof: Proof): Promise<boolean> {
  const storeId = await readStoreId(join(dataDir, 'secrets.enc'))
  if (storeId === undefined) throw notFound('there is no encrypted store of secrets, so no password of one is kept')
  const kept = await keyring.get(storeId)
  if (kept === undefined) return false
  if ('mayLose' in proof) {
    if (!(await proof.mayLose())) throw new ThvError('conflict', 'cancelled; nothing was changed')
  } else if ((await proof.password()) !== kept) {
    throw invalid(
      'that is not the password of the secret store; nothing was changed\nIf nobody knows it, see --force in "thv secret reset-keyring --help".',
    )
  }
  await keyring.delete(storeId)
  return true
}
