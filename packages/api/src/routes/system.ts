import type { doctorRoutes } from '@toolhaven/contract/doctor'
import type { folderRoutes } from '@toolhaven/contract/folders'
import { serversAt } from '@toolhaven/contract/openapi'
import type { systemRoutes } from '@toolhaven/contract/system'
import { getSettings, updateSettings } from '@toolhaven/core/settings/settings'
import type { ApiDeps } from '../api-deps.ts'
import type { Handlers } from '../bind.ts'
import { eventStream } from '../event-stream.ts'
import { textResponse } from '../http-errors.ts'

type Own =
  | Exclude<keyof typeof systemRoutes, 'importWorkload' | 'followLogs' | 'followSeveralLogs' | 'readLogs' | 'pruneLogs'>
  | keyof typeof doctorRoutes
  | keyof typeof folderRoutes

export function systemHandlers(deps: ApiDeps): Pick<Handlers, Own> {
  return {
    getOpenApi: ({ origin }) => (origin === undefined ? deps.openApi : { ...deps.openApi, servers: serversAt(origin) }),
    getHealth: ({ signal }) => health(deps, signal),
    getVersion: () => ({ version: deps.version }),
    getRuntime: ({ signal }) => deps.runtimeReport(signal),
    getSettings: () => getSettings(deps.settings),
    updateSettings: ({ body }) => updateSettings(deps.settings, body),
    runDoctor: ({ query, signal }) => runDoctor(deps, query.workload, signal),
    listFolders: ({ query }) => deps.workloads.host.listFolders(query.path ?? ''),
    streamEvents: ({ signal }) => streamEvents(deps, signal),
  }
}

function runDoctor(deps: ApiDeps, workload: string | undefined, signal: AbortSignal) {
  if (workload !== undefined) deps.workloads.book.get(workload)
  return deps.doctor(workload, AbortSignal.any([signal, deps.shutdown]))
}

async function health(deps: ApiDeps, signal: AbortSignal): Promise<Response> {
  const { state, name, reason } = await deps.runtimeReport(AbortSignal.any([signal, AbortSignal.timeout(5_000)]))
  if (state === 'healthy') return new Response(null, { status: 204 })
  return textResponse(503, `the runtime ${name} does not answer: ${reason ?? 'no reason given'}`)
}

/** Sends the present state, then each change. */
function streamEvents(deps: ApiDeps, signal: AbortSignal): Response {
  const { book, masker } = deps.workloads
  const sendAll = (send: (event: string, data: string) => void) => {
    for (const { stored } of book.all()) {
      const { status, context } = book.status(stored.config.name)
      send('workload', JSON.stringify({ workload: stored.config.name, status, status_context: masker.mask(context) }))
    }
  }
  return eventStream(
    AbortSignal.any([signal, deps.shutdown]),
    (send) => {
      sendAll(send)
      const stops = [
        deps.events.subscribe((event) => send('workload', JSON.stringify(event))),
        deps.changes.subscribe((change) => send('change', JSON.stringify(change))),
      ]
      return () => stops.forEach((stop) => stop())
    },
    { afterGap: sendAll },
  )
}
