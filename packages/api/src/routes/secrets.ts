import type { secretRoutes } from '@toolhaven/contract/secrets'
import type { ApiDeps } from '../api-deps.ts'
import type { Handlers } from '../bind.ts'

export function secretHandlers({ secrets }: ApiDeps): Pick<Handlers, keyof typeof secretRoutes> {
  return {
    setupSecrets: ({ body }) => secrets.setUp(body.provider_type, body.password),
    getSecretsProvider: () => secrets.details(),
    listSecrets: async () => ({ keys: await secrets.list() }),
    createSecret: ({ body }) => secrets.create(body.key, body.value),
    updateSecret: ({ params, body }) => secrets.update(params.key, body.value),
    deleteSecret: async ({ params }) => void (await secrets.delete(params.key)),
    readSecret: async ({ params }) => ({ key: params.key, value: await secrets.read(params.key) }),
  }
}
