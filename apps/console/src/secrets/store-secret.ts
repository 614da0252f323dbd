import type { ApiClient } from '@toolhaven/contract/client'
import { isNotFound } from '../is-not-found.ts'

type Calls = Pick<ApiClient, 'call'>

/** Stores a value under a name that is free; one that is taken is refused. */
export async function createSecret(api: Calls, key: string, value: string): Promise<{ message: string }> {
  const setUp = await ensureSecretStore(api)
  const { message } = await api.call('createSecret', { body: { key, value } })
  return { message: [setUp, message].filter(Boolean).join('; ') }
}

/** The first secret sets up the encrypted store. What the daemon says of that, such as where its password is. */
export async function ensureSecretStore(api: Calls): Promise<string | undefined> {
  try {
    await api.call('getSecretsProvider', {})
    return undefined
  } catch (error) {
    if (!isNotFound(error)) throw error
    return (await api.call('setupSecrets', { body: { provider_type: 'encrypted' } })).message
  }
}

/** Gives a new value to a secret that is there. */
export function replaceSecret(api: Calls, key: string, value: string): Promise<{ message: string }> {
  return api.call('updateSecret', { params: { key }, body: { value } })
}

/** A store that is not set up yet has no secrets. */
export async function storedKeys(api: Calls, signal?: AbortSignal): Promise<string[]> {
  const { keys } = await api.call('listSecrets', {}, signal).catch((error: unknown) => {
    if (isNotFound(error)) return { keys: [] }
    throw error
  })
  return keys.map(({ key }) => key)
}
