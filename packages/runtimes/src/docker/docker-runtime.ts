import { unavailable } from '@toolhaven/core/errors'
import type { Runtime } from '@toolhaven/core/ports/runtime'
import type { EngineClient } from '../engine/engine-client.ts'
import { engineInfo } from '../engine/engine-info.ts'
import { forwardingOf } from '../engine/forwarding.ts'
import { createEngineRuntime, type EngineFacts, type EngineRuntimeOptions } from '../engine/engine-runtime.ts'

export function createDockerRuntime(options: EngineRuntimeOptions): Runtime {
  return createEngineRuntime({ name: 'docker', examine: examineDocker }, options)
}

export async function examineDocker(client: EngineClient, signal: AbortSignal): Promise<EngineFacts> {
  const info = await engineInfo(client, signal)
  if (info.isPodman) throw unavailable(`${client.label} is Podman, not Docker; set THV_RUNTIME=podman.`)
  const memoryLimit = info.MemoryLimit ?? false
  const cpuLimit = info.CpuCfsQuota ?? false
  const pidsLimit = info.PidsLimit ?? false
  const notes = [
    ...(memoryLimit ? [] : ['Docker cannot limit memory here: the kernel has no memory controller for it.']),
    ...(cpuLimit ? [] : ['Docker cannot limit the CPU here: the kernel has no controller for it.']),
    ...(pidsLimit ? [] : ['Docker cannot limit processes here: the kernel has no pids controller for it.']),
    ...(info.seccomp ? [] : ['Docker runs without a system call filter (seccomp) here.']),
  ]
  const rootless = info.rootless ? ', rootless' : ''
  const sandbox = `Docker ${info.version}${rootless}, ${info.seccomp ? 'default seccomp' : 'no seccomp'}`
  return {
    version: info.version,
    capabilities: { images: true, survivesDaemon: true, memoryLimit, cpuLimit, pidsLimit, sandbox },
    notes,
    hasInit: (info.InitBinary ?? '') !== '',
    seccomp: info.seccomp,
    forwarding: await forwardingOf(client, info),
  }
}
