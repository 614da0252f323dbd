import { isThvError } from '@toolhaven/core/errors'
import type { BackendLink } from '../backend.ts'
import { foreignVersions, OWN_META, readDiscovery } from '../discovery.ts'
import type { HttpBackendOptions } from '../http.ts'
import { isNotReached, Refused } from '../upstream.ts'
import type { UpstreamTarget } from '../upstream-target.ts'
import { HttpRequests, saysNothing } from './http-requests.ts'
import { ModernBackend } from './modern-backend.ts'
import { askServer } from './requests.ts'

/** The link to an HTTP server without sessions; undefined when it is one with sessions, to be greeted with initialize. */
export async function connectModern(
  options: HttpBackendOptions,
  target: UpstreamTarget,
  signal: AbortSignal,
): Promise<BackendLink | undefined> {
  const { name, limits, sessions, onLost, onToolsChanged } = options
  const { maxMessageBytes, probeMs, backendWaitMs: waitMs } = limits
  const state = { isReady: false }
  const onNotReached = (reason: string) => state.isReady && onLost(reason)
  const requests = new HttpRequests({ target, maxMessageBytes, onNotReached })
  const timeout = AbortSignal.timeout(probeMs)
  try {
    const probe = { method: 'server/discover', params: { _meta: OWN_META } }
    const found = readDiscovery(await askServer(requests, probe, AbortSignal.any([signal, timeout])))
    if (found.kind === 'foreign') throw foreignVersions(name, found.supported)
    if (found.kind === 'legacy') return undefined
    state.isReady = true
    return new ModernBackend({ name, requests, result: found.result, sessions, waitMs, onToolsChanged })
  } catch (error) {
    const isAway = isNotReached(error) || (error instanceof Refused && saysNothing(error.status))
    if (signal.aborted || isAway || isThvError(error)) throw error
    return undefined
  } finally {
    if (!state.isReady) requests.stop('it is a server with sessions', false)
  }
}
