import type { InstanceHandle } from '@toolhaven/core/ports/runtime'
import { killContainer, waitContainer } from './containers.ts'
import type { EngineClient } from './engine-client.ts'

/**
 * Sends the signal, waits, kills. The engine's own stop call counts whole seconds only. Descendants end with the pid
 * namespace.
 */
export async function stopContainer(
  client: EngineClient,
  handle: InstanceHandle,
  graceMs: number,
  signal: AbortSignal,
): Promise<void> {
  if (!(await killContainer(client, handle.id, 'SIGTERM', signal))) return
  if (await endsWithin(client, handle.id, graceMs, signal)) return
  await killContainer(client, handle.id, 'SIGKILL', signal)
  await waitContainer(client, handle.id, 'not-running', signal)
}

async function endsWithin(client: EngineClient, id: string, graceMs: number, signal: AbortSignal): Promise<boolean> {
  const grace = AbortSignal.timeout(graceMs)
  try {
    await waitContainer(client, id, 'not-running', AbortSignal.any([signal, grace]))
    return true
  } catch (error) {
    signal.throwIfAborted()
    if (grace.aborted) return false
    throw error
  }
}
