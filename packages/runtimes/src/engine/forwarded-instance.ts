import type { InstanceHandle, InstanceState, ListedInstance, RuntimeEvent } from '@toolhaven/core/ports/runtime'
import { LABELS } from '@toolhaven/core/ports/runtime'
import { removeSocketFolder, socketFolder } from '../isolation/socket-folder.ts'
import { containerState, isForwarded, stateOf, type Container } from './container-state.ts'
import { findContainer, inspectContainer, killContainer, removeContainer, startContainer } from './containers.ts'
import type { EngineClient } from './engine-client.ts'
import { findSidecar, SIDECAR_PORT, sidecarOwner, startSidecar } from './sidecar.ts'
import { stopContainer } from './stop-container.ts'

export interface InstanceDeps {
  client: EngineClient
  socketDir: string
}

/** A container and, where it has one, the sidecar that holds its network: both live and end together. */
export async function startInstance(deps: InstanceDeps, handle: InstanceHandle, signal: AbortSignal): Promise<void> {
  const container = await inspectContainer(deps.client, handle.id, signal)
  if (container !== undefined) await startNetwork(deps, handle, container, signal)
  await startContainer(deps.client, handle, signal)
}

/** Before the container itself, and before anybody attaches to it: Podman sets it up for that. */
export async function startNetwork(
  { client, socketDir }: InstanceDeps,
  handle: InstanceHandle,
  container: Container,
  signal: AbortSignal,
): Promise<void> {
  if (!isForwarded(container) || stateOf(container.State.Status) === 'running') return
  await startSidecar(client, handle.name, placeOf(socketDir, container, handle.name), signal)
}

export async function inspectInstance(
  { client, socketDir }: InstanceDeps,
  handle: InstanceHandle,
  signal: AbortSignal,
): Promise<InstanceState> {
  const container = await inspectContainer(client, handle.id, signal)
  if (container === undefined) return { state: 'absent' }
  const state = containerState(container)
  if (state.state !== 'running' || !isForwarded(container)) return state
  const sidecar = await findSidecar(client, handle.name, signal)
  if (sidecar === undefined || stateOf(sidecar.State.Status) !== 'running') {
    // Nothing leads in or out any more, and nothing ever will: a new one is needed.
    await killContainer(client, handle.id, 'SIGKILL', signal)
    return { state: 'exited', exitCode: 137, finishedAt: new Date().toISOString(), oomKilled: false }
  }
  const port = Number(sidecar.Config.Labels?.[SIDECAR_PORT])
  const { socketPath } = placeOf(socketDir, container, handle.name)
  return port > 0 ? { ...state, address: { host: '127.0.0.1', port, socketPath } } : state
}

export async function stopInstance(
  { client }: InstanceDeps,
  handle: InstanceHandle,
  graceMs: number,
  signal: AbortSignal,
): Promise<void> {
  await stopContainer(client, handle, graceMs, signal)
  const sidecar = await sidecarOf(client, handle, signal)
  if (sidecar !== undefined) await killContainer(client, sidecar.Id, 'SIGKILL', signal)
}

export async function removeInstance(
  { client, socketDir }: InstanceDeps,
  handle: InstanceHandle,
  signal: AbortSignal,
): Promise<void> {
  const sidecar = await sidecarOf(client, handle, signal)
  const itself = sidecar === undefined ? await inspectContainer(client, handle.id, signal) : undefined
  // In this order: Podman keeps a container whose network another one uses.
  await removeContainer(client, handle.id, signal)
  if (sidecar !== undefined) await removeContainer(client, sidecar.Id, signal)
  // A sidecar whose instance is gone is removed as an instance of its own.
  const held = sidecar ?? itself
  const owner = held && sidecarOwner(held.Name, held.Config.Labels)
  if (held !== undefined && owner !== undefined) await removeSocketFolder(placeOf(socketDir, held, owner))
}

/** Without sidecars, unless what they belong to is gone: then they are what is left of it. */
export function withoutSidecars(listed: readonly ListedInstance[], isBeingMade: (name: string) => boolean) {
  const names = new Set(listed.map(({ handle }) => handle.name))
  return listed.filter(({ handle, labels }) => {
    const owner = sidecarOwner(handle.name, labels)
    return owner === undefined || (!names.has(owner) && !isBeingMade(owner))
  })
}

/** News of instances only; one whose network ended is ended too, since it would go on deaf and dumb. */
export async function* instanceEvents(
  client: EngineClient,
  events: AsyncIterable<RuntimeEvent>,
  signal: AbortSignal,
): AsyncGenerator<RuntimeEvent> {
  for await (const event of events) {
    const owner = sidecarOwner(event.handle.name, event.labels)
    if (owner === undefined) yield event
    else if (event.kind === 'exited') await endOwner(client, owner, event.handle.id, signal)
  }
}

async function endOwner(client: EngineClient, owner: string, sidecar: string, signal: AbortSignal): Promise<void> {
  const container = await findContainer(client, owner, signal)
  if (container?.HostConfig?.NetworkMode === `container:${sidecar}`)
    await killContainer(client, container.Id, 'SIGKILL', signal)
}

/** Of a name that another instance has by now, the sidecar is that one's. */
async function sidecarOf(
  client: EngineClient,
  handle: InstanceHandle,
  signal: AbortSignal,
): Promise<Container | undefined> {
  const holder = await findContainer(client, handle.name, signal)
  return holder === undefined || holder.Id === handle.id ? findSidecar(client, handle.name, signal) : undefined
}

function placeOf(socketDir: string, { Config }: Container, name: string) {
  return socketFolder(socketDir, Config.Labels?.[LABELS.instance] ?? '', name)
}
