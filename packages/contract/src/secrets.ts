import * as z from 'zod'
import { secretKey } from './names.ts'
import { API_PREFIX, created, noContent, ok, type Routes } from './route.ts'
import { wellFormedText } from './text.ts'

export const secretsProviderType = z.enum(['encrypted', '1password', 'none', 'environment']).meta({
  id: 'secrets.ProviderType',
  description:
    'Where secrets are kept: an encrypted file, 1Password (read only), nowhere, or TOOLHAVEN_SECRET_ variables of the daemon (environment, read only)',
})

export const setupSecretsRequest = z
  .strictObject({
    provider_type: secretsProviderType.meta({ description: 'The secrets provider to set up' }),
    password: z.string().optional().meta({
      description: 'Password of the encrypted file (default: from THV_SECRETS_PASSWORD, the OS keyring, or a key file)',
    }),
  })
  .meta({ id: 'v1.setupSecretsRequest', description: 'The provider to use' })

export const setupSecretsResponse = z
  .strictObject({
    message: z.string().meta({ description: 'What was done, and where the password comes from' }),
    provider_type: secretsProviderType.meta({ description: 'Where secrets are kept' }),
  })
  .meta({ id: 'v1.setupSecretsResponse', description: 'The provider in force' })

export const providerDetails = z
  .strictObject({
    name: z.string().meta({ description: 'Always default' }),
    provider_type: secretsProviderType.meta({ description: 'Where secrets are kept' }),
    capabilities: z
      .strictObject({
        can_read: z.boolean().meta({ description: 'Whether workloads can get values' }),
        can_write: z.boolean().meta({ description: 'Whether secrets can be created and changed' }),
        can_delete: z.boolean().meta({ description: 'Whether secrets can be deleted' }),
        can_list: z.boolean().meta({ description: 'Whether keys can be listed' }),
        can_cleanup: z.boolean().meta({ description: 'Whether all secrets can be deleted at once' }),
      })
      .meta({ id: 'v1.providerCapabilitiesResponse', description: 'What a secrets provider can do' })
      .meta({ description: 'What the provider can do' }),
  })
  .meta({ id: 'v1.getSecretsProviderResponse', description: 'The secrets provider' })

export const createSecretRequest = z
  .strictObject({
    key: secretKey,
    value: wellFormedText.min(1, 'must not be empty').meta({ description: 'The secret itself' }),
  })
  .meta({ id: 'v1.createSecretRequest', description: 'A new secret' })
export const updateSecretRequest = z
  .strictObject({ value: wellFormedText.min(1, 'must not be empty').meta({ description: 'The new value' }) })
  .meta({ id: 'v1.updateSecretRequest', description: 'A new value for a secret' })
export const secretResponse = z
  .strictObject({
    key: z.string().meta({ description: 'Key of the secret' }),
    message: z.string().meta({ description: 'What was done' }),
  })
  .meta({ id: 'v1.secretResponse', description: 'What was done with a secret' })

export const secretKeyEntry = z
  .strictObject({
    key: z.string().meta({ description: 'Key of the secret' }),
    description: z.string().optional().meta({ description: 'What the provider says about it' }),
  })
  .meta({ id: 'v1.secretKeyResponse', description: 'A secret, without its value' })
export const secretList = z
  .strictObject({ keys: z.array(secretKeyEntry).meta({ description: 'Keys of the secrets, sorted' }) })
  .meta({ id: 'v1.listSecretsResponse', description: 'Every secret, without values' })
export const secretUse = z
  .strictObject({
    key: z.string().meta({ description: 'Key of the secret' }),
    workloads: z.array(z.string()).meta({ description: 'Names of the workloads that use it, sorted' }),
  })
  .meta({ id: 'toolhaven.secretUse', description: 'A secret and the workloads that use it' })
export type SecretUse = z.infer<typeof secretUse>
export const secretUses = z
  .strictObject({ uses: z.array(secretUse).meta({ description: 'Secrets that workloads use, sorted by key' }) })
  .meta({ id: 'toolhaven.secretUses', description: 'Which workloads use which secret' })
export const secretValue = z
  .strictObject({
    key: z.string().meta({ description: 'Key of the secret' }),
    value: z.string().meta({ description: 'The secret itself' }),
  })
  .meta({ id: 'toolhaven.secretValue', description: 'A secret with its value' })

const params = z.strictObject({ key: secretKey })
const tag = 'secrets'
const notSetUp = {
  404: {
    when: 'no secrets provider is set up',
    example: 'no secrets provider is set up; POST /api/v1beta/secrets sets one up',
  },
}
const noSecret = { when: 'no such secret, or no secrets provider is set up', example: 'secret github-token not found' }
const cannot = (verb: 'list' | 'write' | 'delete') => ({
  when: `the provider cannot ${verb} secrets`,
  example: `the secrets provider ${verb === 'list' ? 'none' : '1password'} cannot ${verb} secrets`,
})

export const secretRoutes = {
  setupSecrets: {
    method: 'POST',
    path: `${API_PREFIX}/secrets`,
    tag,
    summary: 'Set up the secrets provider',
    body: setupSecretsRequest,
    bodyExample: { provider_type: 'encrypted' },
    success: created(setupSecretsResponse, 'Set up', {
      message: 'secrets provider encrypted is set up',
      provider_type: 'encrypted',
    }),
  },
  getSecretsProvider: {
    method: 'GET',
    path: `${API_PREFIX}/secrets/default`,
    tag,
    summary: 'Get the secrets provider',
    success: ok(providerDetails, 'The provider', {
      name: 'default',
      provider_type: 'encrypted',
      capabilities: { can_read: true, can_write: true, can_delete: true, can_list: true, can_cleanup: true },
    }),
    errors: notSetUp,
  },
  listSecrets: {
    method: 'GET',
    path: `${API_PREFIX}/secrets/default/keys`,
    tag,
    summary: 'List secret keys',
    success: ok(secretList, 'Keys, sorted; never values', { keys: [{ key: 'github-token' }] }),
    errors: { ...notSetUp, 405: cannot('list') },
  },
  createSecret: {
    method: 'POST',
    path: `${API_PREFIX}/secrets/default/keys`,
    tag,
    summary: 'Create a secret',
    body: createSecretRequest,
    bodyExample: { key: 'github-token', value: 'the secret itself' },
    success: created(secretResponse, 'Created', { key: 'github-token', message: 'secret github-token created' }),
    errors: {
      ...notSetUp,
      405: cannot('write'),
      409: { when: 'the secret exists', example: 'secret github-token already exists; PUT changes it' },
    },
  },
  updateSecret: {
    method: 'PUT',
    path: `${API_PREFIX}/secrets/default/keys/{key}`,
    tag,
    summary: 'Change a secret',
    params,
    body: updateSecretRequest,
    bodyExample: { value: 'the new secret' },
    success: ok(secretResponse, 'Changed', { key: 'github-token', message: 'secret github-token updated' }),
    errors: { 404: noSecret, 405: cannot('write') },
  },
  deleteSecret: {
    method: 'DELETE',
    path: `${API_PREFIX}/secrets/default/keys/{key}`,
    tag,
    summary: 'Delete a secret',
    params,
    success: noContent,
    errors: { 404: noSecret, 405: cannot('delete') },
  },
  listSecretUses: {
    method: 'GET',
    path: `${API_PREFIX}/secrets/default/uses`,
    tag,
    summary: 'See which workloads use a secret',
    description: 'Lists every secret that a workload refers to, including secrets that do not exist.',
    success: ok(secretUses, 'Secrets in use, sorted by key', {
      uses: [{ key: 'github-token', workloads: ['github'] }],
    }),
    extension: true,
  },
  readSecret: {
    method: 'GET',
    path: `${API_PREFIX}/secrets/default/keys/{key}/value`,
    tag,
    summary: 'Read a secret (unix socket only)',
    params,
    success: ok(secretValue, 'The value', { key: 'github-token', value: 'the secret itself' }),
    errors: {
      404: {
        when: 'no such secret, no provider, or the call did not come over the unix socket',
        example: 'secret github-token not found',
      },
    },
    extension: true,
    socketOnly: true,
  },
} as const satisfies Routes
