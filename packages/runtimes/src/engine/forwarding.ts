import { stat } from 'node:fs/promises'
import { isIP } from 'node:net'
import { release } from 'node:os'
import type { EngineAddress, EngineClient } from './engine-client.ts'
import type { EngineInfo } from './engine-info.ts'

/**
 * How the daemon and the sidecars of an engine share sockets. `folders`: of this machine, which the sidecar opens as
 * `user`. `volumes`: of the engine, behind a door that the daemon connects to. Otherwise the reason why they cannot.
 */
export type Forwarding = { form: 'folders'; user: string } | { form: 'volumes' } | { reason: string }

export const isInVolumes = (forwarding: Forwarding) => 'form' in forwarding && forwarding.form === 'volumes'

type Machine = Pick<EngineInfo, 'rootless' | 'KernelVersion' | 'OperatingSystem'>

/** Folders where the engine runs here and lets our user in. Otherwise volumes, if its ports are on this machine. */
export async function forwardingOf({ address }: EngineClient, info: Machine, isInside: boolean): Promise<Forwarding> {
  if (process.platform === 'win32') return { reason: 'the daemon must run on Linux or macOS for it' }
  if (!publishesHere(address))
    return { reason: 'the engine runs on another machine, whose ports on 127.0.0.1 cannot be reached from this one' }
  if (process.platform !== 'linux' || address.kind !== 'unix' || isInVirtualMachine(info) || isInside)
    return { form: 'volumes' }
  const user = process.geteuid?.()
  if (!info.rootless) return { form: 'folders', user: `${user}:${process.getegid?.()}` }
  const owner = (await stat(address.path).catch(() => undefined))?.uid
  // Root of a rootless container is the user of the engine. Another user's engine cannot see our folders.
  return owner === user ? { form: 'folders', user: '0:0' } : { form: 'volumes' }
}

/** Docker Desktop in WSL has the same kernel as the distribution it serves. */
function isInVirtualMachine({ OperatingSystem: system, KernelVersion: kernel }: Machine): boolean {
  return kernel !== release() || /docker desktop/i.test(system ?? '')
}

function publishesHere(address: EngineAddress): boolean {
  if (address.kind === 'unix') return true
  const { host } = address
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))
}
