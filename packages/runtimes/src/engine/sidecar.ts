import { setTimeout as delay } from 'node:timers/promises'
import { unavailable } from '@toolhaven/core/errors'
import type { WayOut } from '@toolhaven/core/ports/egress'
import type { InstanceSpec } from '@toolhaven/core/ports/runtime'
import type { SocketFolder } from '../isolation/socket-folder.ts'
import { forwarderWays, waysOf } from '../isolation/ways.ts'
import { createAttendant } from './attendants.ts'
import { inspectContainer } from './containers.ts'
import { stateOf, type Container } from './container-state.ts'
import type { EngineClient } from './engine-client.ts'
import { refusal } from './engine-fault.ts'
import { IN, OUT, TOOLS, VOLUME_USER } from './forwarder-image.ts'
import { volumeMount, volumesOf } from './volumes.ts'

export interface SidecarOptions {
  spec: InstanceSpec
  out: WayOut | undefined
  image: string
  /** Its sockets: in folders of this machine, opened as `user`, or in volumes of the engine. */
  sockets: { place: SocketFolder; user: string } | 'volumes'
}

/** Marks that it listens. */
export const READY_FILE = `${IN}/r`
/** Its way in. */
export const INWARD_SOCKET = `${IN}/h`

/** It makes every address local, then becomes another user and keeps none of these. No other container has any. */
const SETUP_CAPABILITIES = ['NET_ADMIN', 'SETUID', 'SETGID', 'SETPCAP']

/**
 * Docker removes ::1 from a container without an IPv6 network. Set only for a server that listens there: on a machine
 * without IPv6, a container with these settings does not start.
 */
const IPV6_LOOPBACK = { 'net.ipv6.conf.all.disable_ipv6': '0', 'net.ipv6.conf.lo.disable_ipv6': '0' }

/** Creates the container that owns the network namespace. It alone sees the sockets. Returns its id. */
export async function createSidecar(
  client: EngineClient,
  { spec, out, image, sockets }: SidecarOptions,
  signal: AbortSignal,
): Promise<string> {
  const wayIn = spec.targetPort === undefined ? undefined : { socketPath: INWARD_SOCKET, port: spec.targetPort }
  const user = sockets === 'volumes' ? `${VOLUME_USER}:${VOLUME_USER}` : sockets.user
  const body = {
    image,
    args: [...(out === undefined ? [] : ['-u', user]), '-r', READY_FILE, ...forwarderWays(waysOf(out, OUT, wayIn))],
    form: sockets === 'volumes' ? sockets : 'folders',
    user: out === undefined ? user : '0:0',
    body: { Hostname: 'sandbox' },
    hostConfig: {
      NetworkMode: 'none',
      // With a way out it listens on 53, 80 and 443, among others.
      Sysctls: { 'net.ipv4.ip_unprivileged_port_start': '0', ...(spec.listensOnIpv6 && IPV6_LOOPBACK) },
      ...(out !== undefined && { CapAdd: SETUP_CAPABILITIES }),
      ...(sockets === 'volumes' ? inVolumes(spec.name) : inFolders(sockets.place, out)),
    },
  } as const
  return createAttendant(client, 'sidecar', spec, body, signal)
}

function inFolders(place: SocketFolder, out: WayOut | undefined): Record<string, unknown> {
  const bind = (source: string, target: string, isReadOnly: boolean) => ({
    ...{ Type: 'bind', Source: source, Target: target, ReadOnly: isReadOnly },
    BindOptions: { Propagation: 'rprivate' },
  })
  return { Mounts: [...(out === undefined ? [] : [bind(out.folder, OUT, true)]), bind(place.folder, IN, false)] }
}

/**
 * In Docker the workload shares the sidecar's resolv.conf. In Podman it has its own, which works as well: the forwarder
 * answers at whatever address it names.
 */
function inVolumes(instance: string): Record<string, unknown> {
  const volumes = volumesOf(instance)
  return {
    Mounts: [
      volumeMount(volumes.out, OUT, true),
      volumeMount(volumes.in, IN, false),
      volumeMount(volumes.tools, TOOLS, true),
    ],
    Dns: ['127.0.0.1'],
  }
}

const READY_MS = 20_000

/** Starts it, unless it runs, and waits until it listens: a workload that joined before that could take its ports. */
export async function startSidecar(
  client: EngineClient,
  instance: string,
  { sidecar, isReady }: { sidecar: Container; isReady: () => Promise<boolean> },
  signal: AbortSignal,
): Promise<void> {
  const path = `/containers/${sidecar.Id}/start`
  if (stateOf(sidecar.State.Status) !== 'running') {
    await client.send({ method: 'POST', path }, signal).catch((error: unknown) => {
      throw refusal(`start the network of ${instance}`, error)
    })
  }
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(READY_MS)])
  for (let tries = 1; !(await isReady()); tries += 1) {
    if (tries % 20 === 0) await refuseEnded(client, sidecar.Id, instance, signal)
    if (deadline.aborted) throw unavailable(`The network of ${instance} did not come up in time. Restart the workload.`)
    await delay(5)
  }
}

async function refuseEnded(client: EngineClient, id: string, instance: string, signal: AbortSignal): Promise<void> {
  const state = (await inspectContainer(client, id, signal))?.State
  if (state !== undefined && stateOf(state.Status) !== 'exited') return
  const what = state === undefined ? 'was removed' : `ended with code ${state.ExitCode}`
  throw unavailable(`The network of ${instance} did not come up: its forwarder ${what}. Restart the workload.`)
}
