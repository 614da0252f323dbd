import { readFile } from 'node:fs/promises'
import { inspectContainer } from './containers.ts'
import type { EngineClient } from './engine-client.ts'

/** Whether the daemon itself runs in a container of this engine, for which our folders mean nothing. */
export async function isInsideEngine(client: EngineClient, signal: AbortSignal): Promise<boolean> {
  // An engine gives each container a hostname file from the folder that it keeps for it.
  const mounts = await readFile('/proc/self/mountinfo', 'utf8').catch(() => '')
  const own = /\/([0-9a-f]{64})\/(?:userdata\/)?hostname \/etc\/hostname /.exec(mounts)?.[1]
  return own !== undefined && (await inspectContainer(client, own, signal)) !== undefined
}
