import type { Backend, StdioServer } from '../../ports/gateway.ts'
import type { InstanceHandle } from '../../ports/runtime.ts'
import type { Template } from './session-instances.ts'
import { ownServersSpec, sessionModeOf } from '../config/session-mode.ts'
import type { SupervisorDeps } from './supervisor-deps.ts'

/** The backend that the gateway uses for a stdio server. */
export function stdioBackend(
  { book, sessions }: Pick<SupervisorDeps, 'book' | 'sessions'>,
  name: string,
  template: (signal: AbortSignal) => Promise<Template>,
  first: { handle: InstanceHandle; server: StdioServer },
): Backend {
  const { stored } = book.get(name)
  const mode = sessionModeOf(stored)
  if (mode === 'shared') return first.server
  const servers = sessions.servers(name, template, first)
  if (mode === 'isolated') return { kind: 'isolated', ...servers }
  return {
    kind: 'auto',
    ...servers,
    needsOwn: stored.needsOwnServers === true,
    own: ownServersSpec(stored.config),
  }
}
