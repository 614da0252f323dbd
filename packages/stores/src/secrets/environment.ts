import { unsupported } from '@toolhaven/core/errors'
import type { SecretsProvider } from '@toolhaven/core/ports/secrets'
import { SECRET_PREFIX, secretVariable, variableAdvice } from '@toolhaven/core/secrets/secret-variable'

/**
 * Secrets are environment variables of the daemon, for machines that already have them there. An empty variable counts as
 * missing, because CI systems set one for a secret that is not defined.
 */
export function createEnvironmentSecrets(env: Readonly<Record<string, string | undefined>>): SecretsProvider {
  const valueOf = (variable: string) => env[variable] || undefined
  const refuse = (verb: 'set' | 'unset') => async (key: string) => {
    throw unsupported(`the secrets provider environment is read only; ${variableAdvice(verb, [key])}`)
  }
  return {
    type: 'environment',
    capabilities: { can_read: true, can_write: false, can_delete: false, can_list: true, can_cleanup: false },
    get: async (key) => (key === '' ? undefined : (valueOf(SECRET_PREFIX + key) ?? valueOf(secretVariable(key)))),
    set: refuse('set'),
    delete: refuse('unset'),
    list: async () =>
      Object.keys(env)
        .filter((name) => name.startsWith(SECRET_PREFIX) && name !== SECRET_PREFIX && valueOf(name) !== undefined)
        .map((name) => ({ key: name.slice(SECRET_PREFIX.length), description: name })),
  }
}
