import type { clientRoutes } from '@toolhaven/contract/clients'
import {
  discoverClients,
  listClients,
  previewClient,
  registerClient,
  registerClients,
  unregisterClients,
} from '@toolhaven/core/clients/clients'
import type { ApiDeps } from '../api-deps.ts'
import type { Handlers } from '../bind.ts'

export function clientHandlers({ clients }: ApiDeps): Pick<Handlers, keyof typeof clientRoutes> {
  return {
    listClients: () => listClients(clients),
    createClient: ({ body }) => registerClient(clients, body.name, body.groups),
    deleteClient: async ({ params }) => void (await unregisterClients(clients, [params.name])),
    deleteClientFromGroup: async ({ params }) => void (await unregisterClients(clients, [params.name], [params.group])),
    registerClients: ({ body }) => registerClients(clients, body.names, body.groups),
    unregisterClients: async ({ body }) => void (await unregisterClients(clients, body.names, body.groups)),
    previewClient: ({ params, query }) => previewClient(clients, params.name, query.groups),
    discoverClients: async () => ({ clients: await discoverClients(clients) }),
  }
}
