import type { InstanceHandle, InstanceState, ListedInstance, RuntimeEvent } from '@toolhaven/core/ports/runtime'
import { LABELS } from '@toolhaven/core/ports/runtime'
import { stat } from 'node:fs/promises'
import { invalid, unavailable } from '@toolhaven/core/errors'
import { removeSocketFolder, socketFolder } from '../isolation/socket-folder.ts'
import { refuseTakenPort } from '../refuse-taken-port.ts'
import { findAttendant, inwardPort, ownerOf, usesVolumes } from './attendants.ts'
import { containerState, hostPort, isForwarded, stateOf, type Container } from './container-state.ts'
import { findContainer, inspectContainer, killContainer, removeContainer, startContainer } from './containers.ts'
import type { EngineClient } from './engine-client.ts'
import { isReadyBehind } from './door-link.ts'
import type { DoorLinks } from './door-links.ts'
import { findDoor, startDoor } from './door.ts'
import { startSidecar } from './sidecar.ts'
import { stopContainer } from './stop-container.ts'
import { lacksFilter } from './verify-filter.ts'
import { removeVolumes } from './volumes.ts'

export interface InstanceDeps {
  client: EngineClient
  socketDir: string
  links: DoorLinks
  /** How many system call filters the engine applies to every container. */
  engineFilters: (signal: AbortSignal) => Promise<number>
  /**
   * Ids of containers that were ended because the filter was missing. The failed start reports that, so their end is not
   * reported again.
   */
  unfiltered: Set<string>
}

/** A container and, where it has one, the sidecar that holds its network: both live and end together. */
export async function startInstance(deps: InstanceDeps, handle: InstanceHandle, signal: AbortSignal): Promise<void> {
  const container = await inspectContainer(deps.client, handle.id, signal)
  if (container !== undefined) {
    const port = hostPort(container)
    if (port !== undefined && stateOf(container.State.Status) !== 'running') await refuseTakenPort(port)
    await startNetwork(deps, handle, container, signal)
  }
  await startContainer(deps.client, handle, signal)
  if (container !== undefined) await endUnfiltered(deps, handle, container, signal)
}

const KILL_MS = 10_000

async function endUnfiltered(
  { client, engineFilters, unfiltered }: InstanceDeps,
  handle: InstanceHandle,
  container: Container,
  signal: AbortSignal,
): Promise<void> {
  if (!(await lacksFilter(client, handle, container, await engineFilters(signal), signal))) return
  unfiltered.add(handle.id)
  // Not the caller's signal: it must end even when the start was aborted.
  await killContainer(client, handle.id, 'SIGKILL', AbortSignal.timeout(KILL_MS))
  throw invalid(
    `${handle.name} was ended because the system call filter is not in force in it. Do not trust its image, which may have replaced the program that applies the filter.`,
  )
}

/** Called before the container is attached or started, because Podman sets up its network when a client attaches. */
export async function startNetwork(
  { client, socketDir, links }: InstanceDeps,
  { name }: InstanceHandle,
  container: Container,
  signal: AbortSignal,
): Promise<void> {
  if (!isForwarded(container) || stateOf(container.State.Status) === 'running') return
  const sidecar = await findAttendant(client, 'sidecar', name, signal)
  if (sidecar === undefined) throw unavailable(`The network of ${name} is gone. Restart the workload.`)
  const { readyFile, socketPath } = placeOf(socketDir, container, name)
  if (!usesVolumes(sidecar)) return startSidecar(client, name, { sidecar, isReady: () => exists(readyFile) }, signal)
  const door = await startDoor(client, name, signal)
  await startSidecar(client, name, { sidecar, isReady: () => isReadyBehind(door) }, signal)
  await links.open(name, door, socketPath)
}

export async function inspectInstance(
  deps: InstanceDeps,
  handle: InstanceHandle,
  signal: AbortSignal,
): Promise<InstanceState> {
  const { client, socketDir } = deps
  const container = await inspectContainer(client, handle.id, signal)
  if (container === undefined) return { state: 'absent' }
  const state = containerState(container)
  if (state.state !== 'running' || !isForwarded(container)) return state
  const sidecar = await findAttendant(client, 'sidecar', handle.name, signal)
  const { socketPath } = placeOf(socketDir, container, handle.name)
  const isConnected =
    sidecar !== undefined &&
    stateOf(sidecar.State.Status) === 'running' &&
    (!usesVolumes(sidecar) || (await isLinked(deps, handle.name, socketPath, signal)))
  if (!isConnected) {
    // Nothing can get in or out any more: a new container is needed.
    await killContainer(client, handle.id, 'SIGKILL', signal)
    return { state: 'exited', exitCode: 137, finishedAt: new Date().toISOString(), oomKilled: false }
  }
  const port = inwardPort(sidecar)
  return port === undefined ? state : { ...state, address: { host: '127.0.0.1', port, socketPath } }
}

/** Also where the link was another daemon's: it is created again from what the engine knows. */
async function isLinked(
  { client, links }: InstanceDeps,
  instance: string,
  socketPath: string,
  signal: AbortSignal,
): Promise<boolean> {
  const door = await findDoor(client, instance, signal)
  if (door !== undefined) await links.open(instance, door, socketPath)
  return door !== undefined
}

export async function stopInstance(
  { client, links }: InstanceDeps,
  handle: InstanceHandle,
  graceMs: number,
  signal: AbortSignal,
): Promise<void> {
  await stopContainer(client, handle, graceMs, signal)
  if (!(await holdsName(client, handle.name, handle.id, signal))) return
  for (const { Id: id } of await attendantsOf(client, handle.name, signal))
    await killContainer(client, id, 'SIGKILL', signal)
  await links.close(handle.name)
}

/**
 * Removes it together with its attendants. What is left of an instance that is gone is removed as an instance of its
 * own.
 */
export async function removeInstance(
  { client, socketDir, links }: InstanceDeps,
  handle: InstanceHandle,
  signal: AbortSignal,
): Promise<void> {
  const itself = await inspectContainer(client, handle.id, signal)
  const owner = itself && ownerOf(itself.Name, itself.Config.Labels)
  const name = owner ?? handle.name
  const isLast = await holdsName(client, name, handle.id, signal)
  // In this order: Podman keeps a container whose network another one uses.
  await removeContainer(client, handle.id, signal)
  if (!isLast) return
  const attendants = await attendantsOf(client, name, signal)
  for (const { Id: id } of attendants) await removeContainer(client, id, signal)
  await links.close(name)
  const held = itself === undefined || owner === undefined ? attendants : [itself, ...attendants]
  if (held.some(usesVolumes)) await removeVolumes(client, name, signal)
  const [any] = held
  if (any !== undefined) await removeSocketFolder(placeOf(socketDir, any, name))
}

/** Leaves sidecars out, unless what they belong to is gone: then they are what is left of it. */
export function withoutSidecars(listed: readonly ListedInstance[], isBeingMade: (name: string) => boolean) {
  const names = new Set(listed.map(({ handle }) => handle.name))
  return listed.filter(({ handle, labels }) => {
    const owner = ownerOf(handle.name, labels)
    return owner === undefined || (!names.has(owner) && !isBeingMade(owner))
  })
}

/** Events of instances only. An instance whose network ended is ended too, because nobody could reach it. */
export async function* instanceEvents(
  { client, unfiltered }: Pick<InstanceDeps, 'client' | 'unfiltered'>,
  events: AsyncIterable<RuntimeEvent>,
  signal: AbortSignal,
): AsyncGenerator<RuntimeEvent> {
  for await (const event of events) {
    const owner = ownerOf(event.handle.name, event.labels)
    if (event.kind === 'exited' && unfiltered.delete(event.handle.id)) continue
    if (owner === undefined) yield event
    else if (event.kind === 'exited') await endOwner(client, owner, event.handle.id, signal)
  }
}

async function endOwner(client: EngineClient, owner: string, attendant: string, signal: AbortSignal): Promise<void> {
  const container = await findContainer(client, owner, signal)
  if (container === undefined || !isForwarded(container)) return
  const isSidecar = container.HostConfig?.NetworkMode === `container:${attendant}`
  const isDoor = (await findAttendant(client, 'door', owner, signal))?.Id === attendant
  if (isSidecar || isDoor) await killContainer(client, container.Id, 'SIGKILL', signal)
}

/** If another instance has the name by now, the attendants belong to that one. */
async function holdsName(client: EngineClient, name: string, id: string, signal: AbortSignal): Promise<boolean> {
  const holder = await findContainer(client, name, signal)
  return holder === undefined || holder.Id === id
}

async function attendantsOf(client: EngineClient, instance: string, signal: AbortSignal): Promise<Container[]> {
  const sidecar = await findAttendant(client, 'sidecar', instance, signal)
  const door =
    sidecar === undefined || usesVolumes(sidecar) ? await findAttendant(client, 'door', instance, signal) : undefined
  return [sidecar, door].filter((found) => found !== undefined)
}

function placeOf(socketDir: string, { Config }: Container, name: string) {
  return socketFolder(socketDir, Config.Labels?.[LABELS.instance] ?? '', name)
}

async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined)) !== undefined
}
