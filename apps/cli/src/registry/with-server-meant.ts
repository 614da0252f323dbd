import { isThvError, notFound } from '@toolhaven/core/errors'
import type { DaemonClient } from '../connect/daemon-client.ts'
import { closest } from '@toolhaven/core/closest'
import { serverNames } from './servers.ts'

/** The daemon refuses an unknown bare word. The registry may have a similar name to suggest. */
export async function withServerMeant(
  client: DaemonClient,
  server: string | undefined,
  error: unknown,
  signal: AbortSignal,
): Promise<unknown> {
  if (!isThvError(error, 'not-found') || !error.message.startsWith(`The registry has no "${server}"`)) return error
  const names = await serverNames(client, signal).catch((): string[] => [])
  const meant = closest(server ?? '', names)
  if (meant === undefined) return notFound(`${error.message}.\n"thv search WORD" finds servers.`, error)
  return notFound(`The registry has no "${server}". Did you mean "${meant}"?`, error)
}
