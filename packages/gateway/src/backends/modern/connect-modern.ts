import { isThvError } from '@toolhaven/core/errors'
import type { BackendLink } from '../backend.ts'
import { foreignVersions, OWN_META, readDiscovery } from '../discovery.ts'
import type { HttpBackendOptions } from '../http.ts'
import { SsePipe } from '../sse-pipe.ts'
import { isNotReached, Refused } from '../upstream.ts'
import type { UpstreamTarget } from '../upstream-target.ts'
import { HttpRequests, saysNothing } from './http-requests.ts'
import { ModernBackend } from './modern-backend.ts'
import { PipeRequests } from './pipe-requests.ts'
import { askServer, type ServerRequests } from './requests.ts'

/** Of servers with a stream for all, the older ones often say nothing to what they do not know; those of today answer at once. */
const SSE_PROBE_MS = 3_000

/** The link to an HTTP server without sessions; undefined when it is one with sessions, to be greeted with initialize. */
export async function connectModern(
  options: HttpBackendOptions,
  target: UpstreamTarget,
  signal: AbortSignal,
): Promise<BackendLink | undefined> {
  const { name, backend, limits, sessions, onLost, onToolsChanged } = options
  const { maxMessageBytes, backendWaitMs: waitMs } = limits
  const state = { isReady: false }
  const onAway = (reason: string) => state.isReady && onLost(reason)
  const isSse = backend.transport === 'sse'
  const requests: ServerRequests = isSse
    ? new PipeRequests(new SsePipe({ target, maxMessageBytes, onLost: onAway }))
    : new HttpRequests({ target, maxMessageBytes, onNotReached: onAway })
  const timeout = AbortSignal.timeout(isSse ? Math.min(limits.probeMs, SSE_PROBE_MS) : limits.probeMs)
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
