import type { secretRoutes } from '@toolhaven/contract/secrets'
import { secretUses } from '@toolhaven/core/secrets/secret-uses'
import type { ApiDeps } from '../api-deps.ts'
import type { Handlers } from '../bind.ts'

export function secretHandlers({ secrets, workloads }: ApiDeps): Pick<Handlers, keyof typeof secretRoutes> {
  return {
    setupSecrets: ({ body }) => secrets.setUp(body.provider_type, body.password),
    getSecretsProvider: () => secrets.details(),
    listSecrets: async () => ({ keys: await secrets.list() }),
    createSecret: ({ body }) => secrets.create(body.key, body.value),
    updateSecret: ({ params, body }) => secrets.update(params.key, body.value),
    deleteSecret: async ({ params }) => void (await secrets.delete(params.key)),
    listSecretUses: () => ({ uses: secretUses(workloads.book) }),
    readSecret: async ({ params }) => ({ key: params.key, value: await secrets.read(params.key) }),
  }
}
