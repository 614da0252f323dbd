import { writeFile } from 'node:fs/promises'
import { invalid } from '@toolhaven/core/errors'
import type { WayOut } from '@toolhaven/core/ports/egress'
import { LABELS, type InstanceSpec } from '@toolhaven/core/ports/runtime'
import { refusePipeMounts } from '../isolation/refuse-pipe-mounts.ts'
import { refuseSocketMounts } from '../isolation/refuse-socket-mounts.ts'
import { makeSocketFolder, socketFolder } from '../isolation/socket-folder.ts'
import { HOSTS_FILE, proxyVariables, RESOLVER_FILE, withoutPorts } from '../isolation/ways.ts'
import { removeContainer } from './containers.ts'
import { findAttendant } from './attendants.ts'
import {
  filterFromFolder,
  filterFromVolume,
  type Guard,
  type GuardDeps,
  isGuardPlace,
  mountGuard,
  refuseGuardPlace,
} from './container-guard.ts'
import { createDoor } from './door.ts'
import { type Forwarding, isInVolumes } from './forwarding.ts'
import { readImageConfig } from './image-config.ts'
import type { ContainerNetwork } from './network-of-container.ts'
import { createSidecar } from './sidecar.ts'
import { createVolumes, removeVolumes, volumesOf } from './volumes.ts'

export const HOST_NETWORK: ContainerNetwork = { mode: 'host', env: {}, mounts: [] }
export const NO_NETWORK: ContainerNetwork = { mode: 'none', env: {}, mounts: [] }

/** Mounted over the file that the engine puts there. */
const HOSTS = '/etc/hosts'
const RESOLVER = '/etc/resolv.conf'
/** Whether Toolhaven mounts something there for its own purposes. */
export const isOwnTarget = (path: string) => path === HOSTS || path === RESOLVER || isGuardPlace(path)

/** Creates the network of a container that is about to be created. */
export async function containerNetwork(
  known: Omit<GuardDeps, 'image'> & Partial<Pick<GuardDeps, 'image'>>,
  spec: InstanceSpec,
  signal: AbortSignal,
): Promise<ContainerNetwork> {
  const { network, targetPort } = spec
  const { forwarding } = known
  refuseGuardPlace(spec)
  if (network === 'host' && targetPort !== undefined) refuseUnreachable(spec, forwarding)
  const deps = { ...known, image: known.image ?? (await readImageConfig(known.client, spec, signal)) }
  await removeLeftover(deps, spec, signal)
  if (network === 'host') {
    // The filter also keeps a server from leaving programs in a mount that run as its user.
    const isWritable = spec.mounts.some(({ readOnly }) => !readOnly)
    const guard = isWritable && (await hasFilter(deps, signal)) ? filterFromFolder : mountGuard
    return { ...HOST_NETWORK, ...(await guard(deps, spec, signal)) }
  }
  await refuseSocketMounts(spec.mounts)
  await refusePipeMounts(spec.mounts, signal)
  if (network === 'none' && targetPort === undefined) {
    // Without a forwarder we have no filter, as `notes` say. A loopback alone needs none to confine the network.
    const guard = (await hasFilter(deps, signal)) ? filterFromFolder : mountGuard
    return { ...NO_NETWORK, ...(await guard(deps, spec, signal)) }
  }
  if ('reason' in forwarding)
    throw invalid(
      `${spec.name} cannot have a network of its own here: ${forwarding.reason}. Give it the network of the engine's machine with network_mode host (--network host), or use another runtime.`,
    )
  const out = network === 'none' ? undefined : withoutPorts(network, deps.image.exposed)
  const connected = { env: proxyVariables(out) }
  if (forwarding.form === 'volumes') return { ...connected, ...(await networkInVolumes(deps, spec, out, signal)) }
  return { ...connected, ...(await networkInFolders(deps, spec, { out, user: forwarding.user }, signal)) }
}

/** It would listen on the loopback of the engine's machine. */
function refuseUnreachable({ name }: InstanceSpec, forwarding: Forwarding): void {
  if ('form' in forwarding && forwarding.form === 'folders') return
  throw invalid(
    `${name} cannot be reached on the network of its machine, because the engine does not run on this one. Leave network_mode out, choose a server that speaks stdio, or use another runtime.`,
  )
}

/** A separate call: no other failure may cost a server the filter. */
async function hasFilter({ forwarding, isolation }: GuardDeps, signal: AbortSignal): Promise<boolean> {
  if (!('form' in forwarding) || forwarding.form !== 'folders') return false
  return isolation.forwarder(signal).then(
    () => true,
    () => false,
  )
}

/** Sidecar and daemon share folders of this machine. */
async function networkInFolders(
  deps: GuardDeps,
  spec: InstanceSpec,
  { out, user }: { out: WayOut | undefined; user: string },
  signal: AbortSignal,
): Promise<Pick<ContainerNetwork, 'mode' | 'mounts'> & Guard> {
  const { client, isolation, forwarderImage } = deps
  const image = await forwarderImage(signal)
  const { mounts, ...guard } = await filterFromFolder(deps, spec, signal)
  const place = socketFolder(isolation.socketDir, spec.labels[LABELS.instance] ?? '', spec.name)
  await makeSocketFolder(place)
  await writeFile(place.hostsFile, HOSTS_FILE, { mode: 0o644 })
  await writeFile(place.resolverFile, out === undefined ? '' : RESOLVER_FILE, { mode: 0o644 })
  const sidecar = await createSidecar(client, { spec, out, image, sockets: { place, user } }, signal)
  return {
    mode: `container:${sidecar}`,
    ...guard,
    mounts: [
      ...mounts,
      { hostPath: place.hostsFile, containerPath: HOSTS, readOnly: true },
      { hostPath: place.resolverFile, containerPath: RESOLVER, readOnly: true },
    ],
  }
}

/** They share nothing: sockets are in volumes, and the daemon reaches them through a door. */
async function networkInVolumes(
  deps: GuardDeps,
  spec: InstanceSpec,
  out: WayOut | undefined,
  signal: AbortSignal,
): Promise<Pick<ContainerNetwork, 'mode' | 'mounts' | 'volumes'> & Guard> {
  const { client, isolation, forwarderImage } = deps
  const image = await forwarderImage(signal)
  const guard = filterFromVolume(deps, spec, volumesOf(spec.name).tools)
  await makeSocketFolder(socketFolder(isolation.socketDir, spec.labels[LABELS.instance] ?? '', spec.name))
  await createVolumes(client, spec, signal)
  await createDoor(client, { spec, out, image }, signal)
  const sidecar = await createSidecar(client, { spec, out, image, sockets: 'volumes' }, signal)
  return { mode: `container:${sidecar}`, ...guard, mounts: [] }
}

/** A container of someone else stays, and then blocks ours. */
async function removeLeftover(
  { client, forwarding }: GuardDeps,
  { name, labels }: InstanceSpec,
  signal: AbortSignal,
): Promise<void> {
  const usesVolumes = isInVolumes(forwarding)
  for (const kind of ['sidecar', ...(usesVolumes ? (['door'] as const) : [])] as const) {
    const found = await findAttendant(client, kind, name, signal)
    if (found !== undefined && found.Config.Labels?.[LABELS.instance] !== labels[LABELS.instance]) return
    if (found !== undefined) await removeContainer(client, found.Id, signal)
  }
  if (usesVolumes) await removeVolumes(client, name, signal)
}
