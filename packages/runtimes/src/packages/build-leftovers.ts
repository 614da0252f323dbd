import { createHash } from 'node:crypto'
import { z } from 'zod'
import { LABELS } from '@toolhaven/core/ports/runtime'
import { findAttendant } from '../engine/attendants.ts'
import { findContainer, removeContainer } from '../engine/containers.ts'
import type { EngineClient } from '../engine/engine-client.ts'
import { BUILD_LABEL } from './template.ts'

/** Of the containers of one build, and of the images that they leave. The same for each attempt, and no other installation's. */
export function stepNames(owner: string, buildId: string): { fetch: string; install: string } {
  const mark = createHash('sha256').update(`${owner} ${buildId}`).digest('hex').slice(0, 16)
  return { fetch: `thvfetch-${mark}`, install: `thvinstall-${mark}` }
}

/** Removes what an attempt made: its own at its end, and that of a killed daemon before the next. */
export async function removeSteps(
  client: EngineClient,
  names: ReturnType<typeof stepNames>,
  signal: AbortSignal,
): Promise<void> {
  for (const name of Object.values(names)) {
    const container = await findContainer(client, name, signal)
    if (container !== undefined) await removeContainer(client, container.Id, signal)
    const sidecar = await findAttendant(client, 'sidecar', name, signal)
    if (sidecar !== undefined) await removeContainer(client, sidecar.Id, signal)
    await removeImage(client, `toolhaven.local/${name}:latest`, signal)
  }
}

const listSchema = z.array(z.looseObject({ Id: z.string() }))

/** Removes what a killed daemon left of its builds, whether or not they are tried again. Once: a daemon leaves nothing while it lives. */
export function buildSweeper(client: EngineClient) {
  let isDone = false
  return async (labels: Readonly<Record<string, string>>, building: ReadonlySet<string>, signal: AbortSignal) => {
    if (!isDone && building.size === 0) await removeLostBuilds(client, labels, signal)
    isDone = true
  }
}

async function removeLostBuilds(
  client: EngineClient,
  labels: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<void> {
  const owner = labels[LABELS.instance]
  if (owner === undefined) return
  const query = { all: true, filters: JSON.stringify({ label: [`${BUILD_LABEL}=${owner}`] }) }
  const containers = await client.json(listSchema, { method: 'GET', path: '/containers/json', query }, signal)
  for (const { Id: id } of containers) await removeContainer(client, id, signal)
  const images = await client.json(listSchema, { method: 'GET', path: '/images/json', query }, signal)
  for (const { Id: id } of images) await removeImage(client, id, signal)
}

/** One that is in use, or gone already, is left alone. */
async function removeImage(client: EngineClient, name: string, signal: AbortSignal): Promise<void> {
  await client
    .send({ method: 'DELETE', path: `/images/${name}`, query: { force: true } }, signal)
    .catch(() => signal.throwIfAborted())
}
