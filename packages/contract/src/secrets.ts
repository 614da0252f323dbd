import * as z from 'zod'
import { secretKey } from './names.ts'
import { API_PREFIX, created, noContent, ok, type Routes } from './route.ts'
import { wellFormedText } from './text.ts'

export const secretsProviderType = z.enum(['encrypted', '1password', 'none']).meta({ id: 'secrets.ProviderType' })

export const setupSecretsRequest = z
  .strictObject({
    provider_type: secretsProviderType,
    password: z
      .string()
      .optional()
      .meta({ description: 'Left out: THV_SECRETS_PASSWORD, the OS keyring, or a key file' }),
  })
  .meta({ id: 'v1.setupSecretsRequest' })

export const setupSecretsResponse = z
  .strictObject({ message: z.string(), provider_type: secretsProviderType })
  .meta({ id: 'v1.setupSecretsResponse' })

export const providerDetails = z
  .strictObject({
    name: z.string(),
    provider_type: secretsProviderType,
    capabilities: z
      .strictObject({
        can_read: z.boolean(),
        can_write: z.boolean(),
        can_delete: z.boolean(),
        can_list: z.boolean(),
        can_cleanup: z.boolean(),
      })
      .meta({ id: 'v1.providerCapabilitiesResponse' }),
  })
  .meta({ id: 'v1.getSecretsProviderResponse' })

export const createSecretRequest = z
  .strictObject({ key: secretKey, value: wellFormedText.min(1, 'must not be empty') })
  .meta({ id: 'v1.createSecretRequest' })
export const updateSecretRequest = z
  .strictObject({ value: wellFormedText.min(1, 'must not be empty') })
  .meta({ id: 'v1.updateSecretRequest' })
export const secretResponse = z.strictObject({ key: z.string(), message: z.string() }).meta({ id: 'v1.secretResponse' })

export const secretKeyEntry = z
  .strictObject({ key: z.string(), description: z.string().optional() })
  .meta({ id: 'v1.secretKeyResponse' })
export const secretList = z.strictObject({ keys: z.array(secretKeyEntry) }).meta({ id: 'v1.listSecretsResponse' })
export const secretValue = z.strictObject({ key: z.string(), value: z.string() }).meta({ id: 'toolhaven.secretValue' })

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
