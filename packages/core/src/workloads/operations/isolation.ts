import type { Confinement } from '@toolhaven/contract/isolation'
import { conflict } from '../../errors.ts'
import type { Runtime } from '../../ports/runtime.ts'
import type { WorkloadBook } from '../running/book.ts'
import type { SessionInstances } from '../running/session-instances.ts'
import { hasOwnServers } from '../config/session-mode.ts'

export interface IsolationDeps {
  book: WorkloadBook
  runtime: Runtime
  sessions: Pick<SessionInstances, 'handleOf'>
}

/** What confines the workload now, as seen from outside. */
export async function getIsolation(
  { book, runtime, sessions }: IsolationDeps,
  name: string,
  signal: AbortSignal,
): Promise<Confinement> {
  const { stored, observed } = book.get(name)
  if (stored.config.remote_url !== undefined) throw conflict(`${name} is a remote server, so it has no isolation here`)
  const handle = observed.handle ?? (await sessions.handleOf(name))
  const found = handle && (await runtime.confinement?.(handle, signal))
  if (!found && observed.connected && hasOwnServers(stored))
    throw conflict(`${name} has no client now, and its servers run only for clients; connect a client and try again`)
  if (!found) throw conflict(`${name} is not running; start it with "thv restart ${name}"`)
  return found
}
