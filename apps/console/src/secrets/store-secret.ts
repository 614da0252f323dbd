import { api, isNotFound } from '../api.ts'

/** Stores a value under a name, new or known. The first secret sets up the encrypted store. */
export async function storeSecret(key: string, value: string): Promise<{ message: string }> {
  await api.call('getSecretsProvider', {}).catch(async (error: unknown) => {
    if (!isNotFound(error)) throw error
    await api.call('setupSecrets', { body: { provider_type: 'encrypted' } })
  })
  const { keys } = await api.call('listSecrets', {})
  return keys.some((known) => known.key === key)
    ? api.call('updateSecret', { params: { key }, body: { value } })
    : api.call('createSecret', { body: { key, value } })
}
