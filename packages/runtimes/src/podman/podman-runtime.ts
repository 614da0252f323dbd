import { z } from 'zod'
import { unavailable } from '@toolhaven/core/errors'
import type { Runtime } from '@toolhaven/core/ports/runtime'
import type { EngineClient } from '../engine/engine-client.ts'
import { engineVersion, orRefuse } from '../engine/engine-info.ts'
import { forwardingOf } from '../engine/forwarding.ts'
import { isInsideEngine } from '../engine/is-inside-engine.ts'
import { packageUser } from '../engine/package-user.ts'
import {
  CONTROL_GROUPS,
  createEngineRuntime,
  type EngineFacts,
  type EngineRuntimeOptions,
} from '../engine/engine-runtime.ts'

export function createPodmanRuntime(options: EngineRuntimeOptions): Runtime {
  return createEngineRuntime({ name: 'podman', examine: examinePodman }, options)
}

/** Podman's own description. The Docker one claims limits that a rootless Podman silently ignores. */
const libpodInfoSchema = z.looseObject({
  host: z.looseObject({
    kernel: z.string(),
    cgroupVersion: z.string(),
    cgroupControllers: z.array(z.string()).nullish(),
    security: z.looseObject({ rootless: z.boolean(), seccompEnabled: z.boolean() }),
  }),
})

/** Its monitor closes the server's input with the last connection, and has no setting against it (seen with 4.3). */
const STDIN_NOTE =
  'Podman ends the input of a stdio server when the daemon goes away. The next daemon restarts such servers.'

export async function examinePodman(client: EngineClient, signal: AbortSignal): Promise<EngineFacts> {
  const { version, isPodman } = await engineVersion(client, signal)
  if (!isPodman) throw unavailable(`${client.label} is not Podman. Set THV_RUNTIME=docker.`)
  // Podman asks the package manager about its own parts for each such answer, which is slow on a busy machine.
  const libpod = await orRefuse(client.json(libpodInfoSchema, { method: 'GET', path: '/v4.0.0/libpod/info' }, signal))
  const { rootless, seccompEnabled } = libpod.host.security
  const info = { rootless, KernelVersion: libpod.host.kernel }
  const enforces = (controller: string) => !rootless || (libpod.host.cgroupControllers ?? []).includes(controller)
  const why = `rootless Podman on cgroup ${libpod.host.cgroupVersion} has no controller for it`
  const unenforced = {
    ...(!enforces('memory') && { memoryBytes: `Memory limits are ignored: ${why}.` }),
    ...(!enforces('cpu') && { cpus: `CPU limits are ignored: ${why}.` }),
    ...(!enforces('pids') && { pids: `Process limits (pids) are ignored: ${why}.` }),
  }
  const notes = [
    STDIN_NOTE,
    ...Object.values(unenforced),
    ...(seccompEnabled ? [] : ['Podman runs without a system call filter (seccomp) here.']),
  ]
  const sandbox = `Podman ${version}${rootless ? ', rootless' : ''}, ${seccompEnabled ? 'default seccomp' : 'no seccomp'}`
  return {
    version,
    capabilities: { images: true, survivesDaemon: false, unenforced, sandbox },
    notes,
    hasInit: false,
    seccomp: seccompEnabled,
    forwarding: await forwardingOf(client, info, await isInsideEngine(client, signal)),
    packageUser: await packageUser(client, info),
    // Unless told not to, Podman copies into a cover what it hides, which does not fit with the machine's network.
    ...(libpod.host.cgroupVersion === 'v1' && { hiddenPaths: { [CONTROL_GROUPS]: 'ro,size=4096,notmpcopyup' } }),
  }
}
