import { createApp } from '@toolhaven/api/app'
import type { ApiDeps } from '@toolhaven/api/api-deps'
import { ApiError, createApiClient } from '@toolhaven/contract/client'
import { type DaemonClient, failureOf } from '../connect/daemon-client.ts'
import type { ServeSettings } from './serve-settings.ts'

/** Runs `thv doctor` inside the daemon. It calls the API directly, without a connection. */
export function createDaemonDoctor(deps: () => ApiDeps, env: ServeSettings['env']): ApiDeps['doctor'] {
  return async (workload, signal) => {
    // Loaded on demand, because it includes an MCP client.
    const { examine } = await import('../doctor/examine.ts')
    const client = clientOf(deps())
    return examine({ daemon: async () => client, env, signal, out: { transient: () => {} } }, workload)
  }
}

function clientOf(deps: ApiDeps): DaemonClient {
  const app = createApp(deps, { overSocket: true, allowedHosts: [] })
  const api = createApiClient({ baseUrl: 'http://localhost', fetch: async (request) => app.fetch(request) })
  return {
    call: (id, input, signal) =>
      api.call(id, input, signal).catch((error: unknown) => {
        throw error instanceof ApiError ? failureOf(error.status, error.message) : error
      }),
    stream: () => Promise.reject(new Error('the doctor follows no stream')),
  }
}
