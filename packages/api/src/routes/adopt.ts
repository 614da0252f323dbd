import type { adoptRoutes } from '@toolhaven/contract/adopt'
import type { ApiDeps } from '../api-deps.ts'
import type { Handlers } from '../bind.ts'

export function adoptHandlers({ adoptions }: ApiDeps): Pick<Handlers, keyof typeof adoptRoutes> {
  return {
    discoverServers: () => adoptions.list(),
    adoptServer: ({ body: { name, ...wish }, signal }) => adoptions.adopt(name, wish, signal),
    undoAdoption: ({ body }) => adoptions.undo(body.name),
  }
}
