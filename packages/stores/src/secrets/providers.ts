import type { Logger } from '@toolhaven/core/ports/logger'
import type { SecretsProvider, SecretsProviders, SecretsProviderType } from '@toolhaven/core/ports/secrets'
import { SECRET_PREFIX } from '@toolhaven/core/secrets/secret-variable'
import { createSerialQueue } from '../files/serial-queue.ts'
import { createEncryptedStore } from './encrypted-store.ts'
import { createEnvironmentSecrets } from './environment.ts'
import { createOsKeyring, type Keyring } from './keyring.ts'
import { createNoSecrets } from './none.ts'
import { openOnePassword, TOKEN_VARIABLE } from './one-password.ts'

export interface SecretsProvidersOptions {
  dataDir: string
  env: Readonly<Record<string, string | undefined>>
  logger: Logger
  keyring?: Keyring
  /** scrypt's N for everything that is encrypted from now on. Only tests have a reason to lower it. */
  cost?: number
}

export interface LocalSecretsProviders extends SecretsProviders {
  /** Gives the encrypted store another password. If the old one is not given, the stored one is used. */
  changePassword(oldPassword: string | undefined, newPassword: string): Promise<{ message: string }>
}

export function createSecretsProviders(options: SecretsProvidersOptions): LocalSecretsProviders {
  const { dataDir, env, logger } = options
  const keyring = options.keyring ?? createOsKeyring({ env })
  const encrypted = createEncryptedStore({ dataDir, env, logger, keyring }, options.cost)
  const oneAtATime = createSerialQueue()

  async function open(type: SecretsProviderType): Promise<SecretsProvider> {
    if (type === 'encrypted') return encrypted.open()
    if (type === 'environment') return createEnvironmentSecrets(env)
    return type === 'none' ? createNoSecrets() : openOnePassword({ token: env[TOKEN_VARIABLE] })
  }

  async function setUp(type: SecretsProviderType, password: string | undefined) {
    if (type === 'encrypted') return encrypted.setUp(password)
    const provider = await open(type)
    if (type === 'none') return { provider, message: 'No secrets are kept.' }
    if (type === 'environment') {
      const { length } = await provider.list()
      const message = `Secrets are read from environment variables of the daemon that begin with ${SECRET_PREFIX}. It has ${length} of them now.`
      return { provider, message }
    }
    // Tested now, so that a token that cannot read anything is not noticed only at the first workload.
    await provider.list()
    return { provider, message: `1Password is used with the token in ${TOKEN_VARIABLE}.` }
  }

  return {
    setUp: (type, password) => oneAtATime('', () => setUp(type, password)),
    open: (type) => oneAtATime('', () => open(type)),
    changePassword: (oldPassword, newPassword) =>
      oneAtATime('', () => encrypted.changePassword(oldPassword, newPassword)),
  }
}
