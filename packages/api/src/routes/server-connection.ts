import type { serverConnectionRoutes } from '@toolhaven/contract/server-connection'
import { conflict } from '@toolhaven/core/errors'
import { clientUrl } from '@toolhaven/core/workloads/read'
import type { ApiDeps } from '../api-deps.ts'
import type { Call, Handlers } from '../bind.ts'

type Id = keyof typeof serverConnectionRoutes

export function serverConnectionHandlers(deps: ApiDeps): Pick<Handlers, Id> {
  const passOn = ({ params: { name }, request, isApiToken }: Pick<Call<Id>, 'params' | 'request' | 'isApiToken'>) => {
    const { stored, observed } = deps.workloads.book.get(name)
    if (!observed.open)
      throw conflict(
        `workload ${name} cannot be reached: it is ${deps.workloads.book.status(name).status}; start it first`,
      )
    const headers = new Headers(request.headers)
    // It holds our token, which no server may see.
    if (isApiToken) headers.delete('authorization')
    const url = new URL('/mcp', clientUrl(stored)).href
    return deps.relay(
      { url, method: request.method, headers, body: request.body },
      AbortSignal.any([request.signal, deps.shutdown]),
    )
  }
  return { sendToServer: passOn, listenToServer: passOn, endServerSession: passOn }
}
