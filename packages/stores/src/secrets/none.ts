import { unsupported } from '@toolhaven/core/errors'
import type { SecretsProvider } from '@toolhaven/core/ports/secrets'

/** The user chose to store no secrets: everything except a lookup is refused. */
export function createNoSecrets(): SecretsProvider {
  const refuse = async (): Promise<never> => {
    throw unsupported('the secrets provider "none" stores no secrets: set up "encrypted" or "1password" first')
  }
  return {
    type: 'none',
    capabilities: { can_read: false, can_write: false, can_delete: false, can_list: false, can_cleanup: false },
    async get() {
      return undefined
    },
    set: refuse,
    delete: refuse,
    list: refuse,
  }
}
