import { setTimeout } from 'node:timers/promises'
import { z } from 'zod'
import { conflict } from '@toolhaven/core/errors'
import {
  LABELS,
  type InstanceHandle,
  type InstanceSpec,
  type ListedInstance,
  type RuntimeName,
} from '@toolhaven/core/ports/runtime'
import { containerBody, type Hardening } from './container-body.ts'
import type { ContainerNetwork } from './network-of-container.ts'
import { containerSchema, containerState, stateOf, type Container } from './container-state.ts'
import type { EngineClient } from './engine-client.ts'
import { hasStatus, refusal } from './engine-fault.ts'

/** What engines accept as a name. Nothing else can name one of Toolhaven's containers. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9_.-]*$/
const createdSchema = z.looseObject({ Id: z.string() })
const listSchema = z.array(
  z.looseObject({
    Id: z.string(),
    Names: z.array(z.string()).nullish(),
    Labels: z.record(z.string(), z.string()).nullish(),
    State: z.string(),
  }),
)

/** Creates the container. Removes a leftover of the same name and owner; anybody else's is a conflict. */
export async function createContainer(
  client: EngineClient,
  runtime: RuntimeName,
  spec: InstanceSpec,
  { hardening, makeNetwork }: { hardening: Hardening; makeNetwork: () => Promise<ContainerNetwork> },
  signal: AbortSignal,
): Promise<InstanceHandle> {
  const leftover = await findContainer(client, spec.name, signal)
  if (leftover !== undefined) {
    const owner = leftover.Config.Labels?.[LABELS.instance]
    if (owner === undefined || owner !== spec.labels[LABELS.instance]) throw nameTaken(spec.name)
    await removeContainer(client, leftover.Id, signal)
  }
  // Called after the leftover is gone, because it replaces the network parts that the leftover used.
  const body = containerBody(spec, hardening, await makeNetwork())
  try {
    const { Id: id } = await client.json(
      createdSchema,
      { method: 'POST', path: '/containers/create', query: { name: spec.name }, body },
      signal,
    )
    return { runtime, id, name: spec.name }
  } catch (error) {
    if (hasStatus(error, 409) || (hasStatus(error, 500) && error.message.includes('already in use')))
      throw nameTaken(spec.name, error)
    throw refusal(`create ${spec.name}`, error)
  }
}

const nameTaken = (name: string, cause?: unknown) =>
  conflict(`A container named ${name} already exists and does not belong to Toolhaven. Remove or rename it.`, cause)

export async function inspectContainer(
  client: EngineClient,
  id: string,
  signal: AbortSignal,
): Promise<Container | undefined> {
  const call = { method: 'GET', path: `/containers/${encodeURIComponent(id)}/json` } as const
  const until = Date.now() + ENDING_MS
  for (;;) {
    try {
      return await client.json(containerSchema, call, signal)
    } catch (error) {
      if (hasStatus(error, 404)) return undefined
      if (!isEnding(error) || Date.now() > until) throw refusal(`inspect the container ${id}`, error)
    }
    await setTimeout(50, undefined, { signal })
  }
}

const ENDING_MS = 10_000

/** Podman looks up the process of a running container, and fails until it has noticed that the process ended. */
const isEnding = (error: unknown) =>
  hasStatus(error, 500) && /\/proc\/\d+\/\S+: no such (process|file)/.test(error.message)

/** Engines also accept the beginning of an id, so the name found is compared. */
export async function findContainer(
  client: EngineClient,
  name: string,
  signal: AbortSignal,
): Promise<Container | undefined> {
  signal.throwIfAborted()
  if (!NAME.test(name)) return undefined
  const found = await inspectContainer(client, name, signal)
  return found?.Name.replace(/^\//, '') === name ? found : undefined
}

export function listed(runtime: RuntimeName, container: Container): ListedInstance {
  return {
    handle: { runtime, id: container.Id, name: container.Name.replace(/^\//, '') },
    labels: container.Config.Labels ?? {},
    state: containerState(container).state,
  }
}

export async function listContainers(
  client: EngineClient,
  runtime: RuntimeName,
  labels: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<ListedInstance[]> {
  const filters = JSON.stringify({ label: Object.entries(labels).map(([key, value]) => `${key}=${value}`) })
  const call = { method: 'GET', path: '/containers/json', query: { all: true, filters } } as const
  const found = await client.json(listSchema, call, signal).catch((error: unknown) => {
    throw refusal('list containers', error)
  })
  return found
    .map((entry): ListedInstance => {
      const name = (entry.Names?.[0] ?? '').replace(/^\//, '')
      return { handle: { runtime, id: entry.Id, name }, labels: entry.Labels ?? {}, state: stateOf(entry.State) }
    })
    .filter((entry) => Object.entries(labels).every(([key, value]) => entry.labels[key] === value))
}

export async function startContainer(client: EngineClient, handle: InstanceHandle, signal: AbortSignal): Promise<void> {
  await client
    .send({ method: 'POST', path: `/containers/${encodeURIComponent(handle.id)}/start` }, signal)
    .catch((error: unknown) => {
      throw refusal(`start ${handle.name}`, error)
    })
}

export async function removeContainer(client: EngineClient, id: string, signal: AbortSignal): Promise<void> {
  try {
    await client.send(
      { method: 'DELETE', path: `/containers/${encodeURIComponent(id)}`, query: { force: true, v: true } },
      signal,
    )
  } catch (error) {
    // Already gone, or being removed by another call: wait for that one.
    if (hasStatus(error, 404)) return
    if (!hasStatus(error, 409)) throw refusal(`remove the container ${id}`, error)
    await waitContainer(client, id, 'removed', signal)
  }
}

/** Sends a signal. Returns false when there was no process to get it. */
export async function killContainer(
  client: EngineClient,
  id: string,
  name: string,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    await client.send(
      { method: 'POST', path: `/containers/${encodeURIComponent(id)}/kill`, query: { signal: name } },
      signal,
    )
    return true
  } catch (error) {
    if (hasStatus(error, 404, 409) || (hasStatus(error, 500) && /not running|state improper/.test(error.message)))
      return false
    throw refusal(`signal the container ${id}`, error)
  }
}

export async function waitContainer(
  client: EngineClient,
  id: string,
  condition: 'not-running' | 'removed',
  signal: AbortSignal,
): Promise<void> {
  try {
    await client.send(
      { method: 'POST', path: `/containers/${encodeURIComponent(id)}/wait`, query: { condition } },
      signal,
    )
  } catch (error) {
    if (!hasStatus(error, 404)) throw refusal(`wait for the container ${id}`, error)
  }
}
