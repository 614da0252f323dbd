import type { registryRoutes } from '@toolhaven/contract/registry'
import { ThvError } from '@toolhaven/core/errors'
import {
  getServer,
  listServers,
  refuseRegistryDeletion,
  registryDetails,
  refreshRegistry,
  registryInfo,
  testRegistry,
  updateRegistry,
} from '@toolhaven/core/registry/registry'
import type { ApiDeps } from '../api-deps.ts'
import type { Handlers } from '../bind.ts'

export function registryHandlers({ registry }: ApiDeps): Pick<Handlers, keyof typeof registryRoutes> {
  return {
    listRegistries: async ({ signal }) => ({ registries: [await registryInfo(registry, signal)] }),
    addRegistry: () => {
      throw new ThvError(
        'not-implemented',
        'adding a registry is not implemented; PUT /api/v1beta/registry/default changes the source',
      )
    },
    getRegistry: ({ params, signal }) => registryDetails(registry, params.name, signal),
    updateRegistry: ({ params, body, signal }) => updateRegistry(registry, params.name, body, signal),
    testRegistry: ({ params, body, signal }) => testRegistry(registry, params.name, body, signal),
    refreshRegistry: ({ params, signal }) => refreshRegistry(registry, params.name, signal),
    deleteRegistry: ({ params }) => refuseRegistryDeletion(params.name),
    listServers: ({ params, signal }) => listServers(registry, params.name, signal),
    getServer: ({ params, signal }) => getServer(registry, params.name, params.serverName, signal),
  }
}
