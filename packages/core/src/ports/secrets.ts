/** One place secrets are kept in. `get` of an unknown key gives undefined. */
export interface SecretsProvider {
  readonly type: SecretsProviderType
  readonly capabilities: SecretsCapabilities
  get(key: string): Promise<string | undefined>
  set(key: string, value: string): Promise<void>
  /** False when there was no such key. */
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
   * Opens or first creates a provider. Throws `invalid` on a wrong password (nothing is changed), `unavailable`
   * when what it needs is missing (a token, a keyring), naming it.
   * `message` says where the password was taken from.
   */
  setUp(
    type: SecretsProviderType,
    password: string | undefined,
  ): Promise<{ provider: SecretsProvider; message: string }>

  /** Opens a provider that was set up before (at daemon start). */
  open(type: SecretsProviderType): Promise<SecretsProvider>
}
