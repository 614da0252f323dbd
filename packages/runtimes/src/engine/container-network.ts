import { writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { describeError, invalid } from '@toolhaven/core/errors'
import type { WayOut } from '@toolhaven/core/ports/egress'
import { LABELS, type InstanceSpec, type Mount } from '@toolhaven/core/ports/runtime'
import { z } from 'zod'
import type { IsolationPlaces } from '../isolation/isolation-places.ts'
import { refuseSocketMounts } from '../isolation/refuse-socket-mounts.ts'
import { makeSocketFolder, socketFolder } from '../isolation/socket-folder.ts'
import { hostsFile, proxyVariables } from '../isolation/ways.ts'
import { removeContainer } from './containers.ts'
import type { EngineClient } from './engine-client.ts'
import { refusal } from './engine-fault.ts'
import { findAttendant } from './attendants.ts'
import { createDoor } from './door.ts'
import { forwarderImage } from './forwarder-image.ts'
import { isInVolumes, type Forwarding } from './forwarding.ts'
import { createSidecar } from './sidecar.ts'
import { createVolumes, removeVolumes, volumesOf } from './volumes.ts'

/** How a container is connected, and what its network asks of the rest of it. */
export interface ContainerNetwork {
  /** The engine's word for it. */
  mode: string
  isPublished: boolean
  env: Readonly<Record<string, string>>
  mounts: readonly Mount[]
  /** Volumes of the engine, all of them read-only. */
  volumes?: readonly { name: string; containerPath: string }[]
  /** In place of the image's own: what comes before it puts our system call filter in force. */
  command?: { entrypoint: readonly string[]; args: readonly string[] }
}

export const ORDINARY_NETWORK: ContainerNetwork = { mode: 'bridge', isPublished: true, env: {}, mounts: [] }
export const NO_NETWORK: ContainerNetwork = { mode: 'none', isPublished: false, env: {}, mounts: [] }

/** Where the folder with the filter is inside. */
const GUARD = '/.toolhaven'
const FILTER: readonly string[] = ['-s', `${GUARD}/filter`]
/** Inside, over what the engine puts there. */
const HOSTS = '/etc/hosts'
const RESOLVER = '/etc/resolv.conf'
export const OWN_TARGETS: readonly string[] = [GUARD, HOSTS, RESOLVER]

export interface NetworkDeps {
  client: EngineClient
  isolation: IsolationPlaces
  forwarding: Forwarding
}

/** Makes the network of a container that is about to be created. */
export async function containerNetwork(
  deps: NetworkDeps,
  spec: InstanceSpec,
  signal: AbortSignal,
): Promise<ContainerNetwork> {
  const { network, targetPort } = spec
  refuseOwnPlace(spec)
  await removeLeftover(deps, spec, signal)
  if (network === 'full') return { ...ORDINARY_NETWORK, ...(await mountGuard(deps, spec, signal)) }
  await refuseSocketMounts(spec.mounts)
  const { forwarding } = deps
  if (network === 'none' && targetPort === undefined) {
    // Without a forwarder there is no filter of ours, as `notes` say; a loopback alone needs none to be one.
    const hasTools = 'form' in forwarding && forwarding.form === 'folders'
    const guard = hasTools
      ? await guardedByFolder(deps, spec, signal).catch(() => mountGuard(deps, spec, signal))
      : undefined
    return { ...NO_NETWORK, ...guard }
  }
  if ('reason' in forwarding)
    throw invalid(
      `Network isolation is not possible here: ${forwarding.reason}; allow ${spec.name} the whole network ("insecure_allow_all" in its permission profile) or use another runtime.`,
    )
  const out = network === 'none' ? undefined : network
  const connected = { isPublished: false, env: proxyVariables(out) }
  if (forwarding.form === 'volumes') return { ...connected, ...(await networkInVolumes(deps, spec, out, signal)) }
  return { ...connected, ...(await networkInFolders(deps, spec, { out, user: forwarding.user }, signal)) }
}

/** A mount in there would replace the program that puts the filter in force. */
function refuseOwnPlace({ mounts }: InstanceSpec): void {
  const taken = mounts.find(({ containerPath }) => `${resolve(containerPath)}/`.startsWith(`${GUARD}/`))
  if (taken !== undefined)
    throw invalid(
      `Nothing can be mounted at ${taken.containerPath}, because Toolhaven's own files are there; choose another path inside the container.`,
    )
}

/** Sidecar and daemon share folders of this machine. */
async function networkInFolders(
  deps: NetworkDeps,
  spec: InstanceSpec,
  { out, user }: { out: WayOut | undefined; user: string },
  signal: AbortSignal,
): Promise<Pick<ContainerNetwork, 'mode' | 'command' | 'mounts'>> {
  const { client, isolation } = deps
  const image = await forwarderImage(client, await isolation.forwarder(signal), signal)
  const { command, mounts } = await guardedByFolder(deps, spec, signal)
  const place = socketFolder(isolation.socketDir, spec.labels[LABELS.instance] ?? '', spec.name)
  await makeSocketFolder(place)
  await writeFile(place.hostsFile, hostsFile(out), { mode: 0o644 })
  await writeFile(place.resolverFile, '', { mode: 0o644 })
  const sidecar = await createSidecar(client, { spec, out, image, sockets: { place, user } }, signal)
  return {
    mode: `container:${sidecar}`,
    command,
    mounts: [
      ...mounts,
      { hostPath: place.hostsFile, containerPath: HOSTS, readOnly: true },
      { hostPath: place.resolverFile, containerPath: RESOLVER, readOnly: true },
    ],
  }
}

/** They share nothing: sockets are in volumes, and the daemon comes to them through a door. */
async function networkInVolumes(
  { client, isolation }: NetworkDeps,
  spec: InstanceSpec,
  out: WayOut | undefined,
  signal: AbortSignal,
): Promise<Pick<ContainerNetwork, 'mode' | 'command' | 'mounts' | 'volumes'>> {
  const image = await forwarderImage(client, await isolation.forwarder(signal), signal)
  const command = await guardedCommand(client, spec, FILTER, signal)
  await makeSocketFolder(socketFolder(isolation.socketDir, spec.labels[LABELS.instance] ?? '', spec.name))
  await createVolumes(client, spec, signal)
  await createDoor(client, { spec, out, image }, signal)
  const sidecar = await createSidecar(client, { spec, out, image, sockets: 'volumes' }, signal)
  const volumes = [{ name: volumesOf(spec.name).tools, containerPath: GUARD }]
  return { mode: `container:${sidecar}`, command, mounts: [], volumes }
}

/** Somebody else's stays, and is then in the way of ours. */
async function removeLeftover(
  { client, forwarding }: NetworkDeps,
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

const words = z.union([z.array(z.string()), z.string().transform((text) => [text])]).nullish()
const imageSchema = z.looseObject({
  Config: z.looseObject({ Entrypoint: words, Cmd: words }).nullish(),
})

/** A network namespace does not hold every kind of socket: the filter does. It is put in force before the image's own program. */
async function guardedByFolder(
  { client, isolation }: NetworkDeps,
  spec: InstanceSpec,
  signal: AbortSignal,
): Promise<Required<Pick<ContainerNetwork, 'command' | 'mounts'>>> {
  const { folder } = await isolation.forwarder(signal)
  const mounts = [{ hostPath: folder, containerPath: GUARD, readOnly: true }]
  return { command: await guardedCommand(client, spec, [...FILTER, ...mountChecks(spec)], signal), mounts }
}

/**
 * An engine mounts by path, and the path may mean something else by then. Only inside can it be seen what was mounted, and
 * only before the image's own program runs. Where the engine's files are another machine's, identities say nothing.
 */
async function mountGuard(
  { client, isolation, forwarding }: NetworkDeps,
  spec: InstanceSpec,
  signal: AbortSignal,
): Promise<Partial<Pick<ContainerNetwork, 'command' | 'mounts'>>> {
  const checks = mountChecks(spec)
  if (checks.length === 0 || !('form' in forwarding) || forwarding.form !== 'folders') return {}
  const { folder } = await isolation.forwarder(signal).catch((error: unknown) => {
    throw invalid(`The mounts of ${spec.name} cannot be checked inside its container: ${describeError(error)}`, error)
  })
  const mounts = [{ hostPath: folder, containerPath: GUARD, readOnly: true }]
  return { command: await guardedCommand(client, spec, checks, signal), mounts }
}

function mountChecks({ mounts }: InstanceSpec): string[] {
  return mounts.flatMap(({ identity, containerPath }) =>
    identity === undefined ? [] : ['-m', `${identity}=${containerPath}`],
  )
}

async function guardedCommand(
  client: EngineClient,
  { prepared, name, args }: InstanceSpec,
  options: readonly string[],
  signal: AbortSignal,
): Promise<NonNullable<ContainerNetwork['command']>> {
  const call = { method: 'GET', path: `/images/${prepared.id}/json` } as const
  const { Config: config } = await client.json(imageSchema, call, signal).catch((error: unknown) => {
    throw refusal(`look up the image of ${name}`, error)
  })
  const own = [...(config?.Entrypoint ?? []), ...(args.length > 0 ? args : (config?.Cmd ?? []))]
  if (own.length === 0) throw invalid(`The image of ${name} names no program to run; give it arguments.`)
  return { entrypoint: [`${GUARD}/forwarder`, ...options, '--'], args: own }
}
