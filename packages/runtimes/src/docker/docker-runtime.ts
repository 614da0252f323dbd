import { unavailable } from '@toolhaven/core/errors'
import type { Runtime } from '@toolhaven/core/ports/runtime'
import type { EngineClient } from '../engine/engine-client.ts'
import { engineInfo } from '../engine/engine-info.ts'
import { forwardingOf } from '../engine/forwarding.ts'
import { isInsideEngine } from '../engine/is-inside-engine.ts'
import { packageUser } from '../engine/package-user.ts'
import {
  CONTROL_GROUPS,
  createEngineRuntime,
  type EngineFacts,
  type EngineRuntimeOptions,
} from '../engine/engine-runtime.ts'

export function createDockerRuntime(options: EngineRuntimeOptions): Runtime {
  return createEngineRuntime({ name: 'docker', examine: examineDocker }, options)
}

export async function examineDocker(client: EngineClient, signal: AbortSignal): Promise<EngineFacts> {
  const info = await engineInfo(client, signal)
  if (info.isPodman) throw unavailable(`${client.label} is Podman, not Docker. Set THV_RUNTIME=podman.`)
  // A rootless Docker without systemd accepts limits and applies none of them.
  const keepsAny = info.CgroupDriver !== 'none'
  const unenforced = {
    ...(!(keepsAny && info.MemoryLimit) && {
      memoryBytes: 'Docker cannot limit memory here: it has no memory controller.',
    }),
    ...(!(keepsAny && info.CpuCfsQuota) && {
      cpus: 'Docker cannot limit the CPU here: it has no CPU controller.',
    }),
    ...(!(keepsAny && info.PidsLimit) && {
      pids: 'Docker cannot limit processes here: it has no pids controller.',
    }),
  }
  const notes = [
    ...Object.values(unenforced),
    ...(info.seccomp ? [] : ['Docker runs without a system call filter (seccomp) here.']),
  ]
  const rootless = info.rootless ? ', rootless' : ''
  const sandbox = `Docker ${info.version}${rootless}, ${info.seccomp ? 'default seccomp' : 'no seccomp'}`
  return {
    version: info.version,
    capabilities: { images: true, survivesDaemon: true, unenforced, sandbox },
    notes,
    hasInit: (info.InitBinary ?? '') !== '',
    seccomp: info.seccomp,
    forwarding: await forwardingOf(client, info, await isInsideEngine(client, signal)),
    packageUser: await packageUser(client, info),
    ...(info.CgroupVersion !== '2' && { hiddenPaths: { [CONTROL_GROUPS]: 'ro,size=4096' } }),
  }
}
