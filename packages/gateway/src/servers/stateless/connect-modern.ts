import { isThvError } from '@toolhaven/core/errors'
import type { ListPart } from '../../tools/locked-lists.ts'
import { abortable } from '../abortable.ts'
import type { BackendLink } from '../backend.ts'
import { foreignVersions, OWN_META, readDiscovery } from '../discovery.ts'
import type { HttpBackendOptions } from '../http/http-options.ts'
import { SsePipe } from '../http/sse-pipe.ts'
import { isNotReached } from '@toolhaven/core/net/not-reached'
import { Refused } from '../http/upstream.ts'
import type { UpstreamTarget } from '../../http/client/upstream-target.ts'
import { HttpRequests, saysNothing } from './http-requests.ts'
import { ModernBackend } from './modern-backend.ts'
import { PipeRequests } from './pipe-requests.ts'
import { askServer, type ServerRequests } from './requests.ts'

/**
 * The link to a stateless HTTP server. Undefined when the server has sessions and needs initialize. `onSilent`: a
 * server of the HTTP+SSE transport is up and has not answered yet. Early ones never answer what they do not know.
 */
export async function connectModern(
  options: HttpBackendOptions,
  target: UpstreamTarget,
  onSilent: () => void,
  signal: AbortSignal,
): Promise<BackendLink | undefined> {
  const { name, backend, limits, sessions, onLost, onListChanged } = options
  const { maxMessageBytes } = limits
  const state = { isReady: false }
  const onAway = (reason: string) => state.isReady && onLost(reason)
  const pipe = backend.transport === 'sse' ? new SsePipe({ target, maxMessageBytes, onLost: onAway }) : undefined
  const requests: ServerRequests = pipe
    ? new PipeRequests(pipe)
    : new HttpRequests({ target, maxMessageBytes, onNotReached: onAway })
  let timer: NodeJS.Timeout | undefined
  try {
    if (pipe) await abortable(pipe.open(), AbortSignal.any([signal, AbortSignal.timeout(limits.probeMs)]))
    if (pipe) timer = setTimeout(onSilent, limits.sseProbeMs)
    const timeout = AbortSignal.timeout(limits.probeMs)
    const probe = { method: 'server/discover', params: { _meta: OWN_META } }
    const found = readDiscovery(await askServer(requests, probe, AbortSignal.any([signal, timeout])))
    if (found.kind === 'foreign') throw foreignVersions(name, found.supported)
    if (found.kind === 'legacy') return undefined
    state.isReady = true
    const heard = onListChanged && { onListChanged: (part: ListPart) => onListChanged(undefined, part) }
    return new ModernBackend({ name, requests, result: found.result, sessions, limits, ...heard })
  } catch (error) {
    const isAway = isNotReached(error) || (error instanceof Refused && saysNothing(error.status))
    if (signal.aborted || isAway || isThvError(error)) throw error
    return undefined
  } finally {
    clearTimeout(timer)
    if (!state.isReady) requests.stop('it is a server with sessions', false)
  }
}
