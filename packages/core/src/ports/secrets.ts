/** One store for secrets. `get` of an unknown key returns undefined. */
export interface SecretsProvider {
  readonly type: SecretsProviderType
  readonly capabilities: SecretsCapabilities
  get(key: string): Promise<string | undefined>
  set(key: string, value: string): Promise<void>
  /** False if there was no such key. */
  delete(key: string): Promise<boolean>
  list(): Promise<SecretKeyEntry[]>
}

export type SecretsProviderType = 'encrypted' | '1password' | 'none' | 'environment'

export interface SecretsCapabilities {
  can_read: boolean
  can_write: boolean
  can_delete: boolean
  can_list: boolean
  can_cleanup: boolean
}

export interface SecretKeyEntry {
  key: string
  description?: string
}

export interface SecretsProviders {
  /**
   * Opens a provider, or creates it first. Throws `invalid` for a wrong password and then changes nothing. Throws `unavailable` if
   * something is missing (a token, a keyring), and names it. `message` says where the password comes from.
   */
  setUp(
    type: SecretsProviderType,
    password: string | undefined,
  ): Promise<{ provider: SecretsProvider; message: string }>

  /** Opens a provider that was set up before (at daemon start). */
  open(type: SecretsProviderType): Promise<SecretsProvider>
}
