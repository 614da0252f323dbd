import { stat } from 'node:fs/promises'
import { release } from 'node:os'
import type { Forwarding } from './container-network.ts'
import type { EngineClient } from './engine-client.ts'
import type { EngineInfo } from './engine-info.ts'

/** Sockets are shared with sidecars through folders of this machine: the engine must be here and let our user in. */
export async function forwardingOf({ address }: EngineClient, info: EngineInfo): Promise<Forwarding> {
  if (process.platform !== 'linux' || address.kind !== 'unix' || info.KernelVersion !== release())
    return {
      reason: 'the engine runs in a virtual machine or on another machine, which share no sockets with this one',
    }
  const user = process.geteuid?.()
  if (!info.rootless) return { user: `${user}:${process.getegid?.()}` }
  const owner = (await stat(address.path).catch(() => undefined))?.uid
  if (owner !== user)
    return { reason: 'the rootless engine belongs to another user than the daemon, so they share no folders' }
  // Root of a rootless container is the user of the engine.
  return { user: '0:0' }
}
