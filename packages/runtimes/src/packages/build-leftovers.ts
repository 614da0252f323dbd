import { createHash } from 'node:crypto'
import { z } from 'zod'
import { LABELS, type RuntimeName } from '@toolhaven/core/ports/runtime'
import { findContainer } from '../engine/containers.ts'
import type { EngineClient } from '../engine/engine-client.ts'
import { type InstanceDeps, removeInstance } from '../engine/forwarded-instance.ts'
import { BUILD_LABEL, BUILDER_LABEL } from './template.ts'

/**
 * Names for the containers of one build and for the images that they leave. The same for each attempt, and different
 * for each installation.
 */
export function stepNames(owner: string, buildId: string): { fetch: string; install: string } {
  const mark = createHash('sha256').update(`${owner} ${buildId}`).digest('hex').slice(0, 16)
  return { fetch: `thvfetch-${mark}`, install: `thvinstall-${mark}` }
}

/** Removes what an attempt made: its own at its end, and that of a killed daemon before the next. */
export async function removeSteps(
  { instances, runtime }: { instances: InstanceDeps; runtime: RuntimeName },
  names: ReturnType<typeof stepNames>,
  signal: AbortSignal,
): Promise<void> {
  const { client } = instances
  for (const name of Object.values(names)) {
    const container = await findContainer(client, name, signal)
    // Where only a sidecar is left, it is removed as well.
    await removeInstance(instances, { runtime, id: container?.Id ?? name, name }, signal)
  }
  for (const name of Object.values(names)) await removeImage(client, `toolhaven.local/${name}:latest`, signal)
}

const listSchema = z.array(z.looseObject({ Id: z.string(), Names: z.array(z.string()).nullish() }))

/**
 * Removes what a killed daemon left of its builds, whether or not they are tried again. Runs once: a daemon leaves
 * nothing while it lives.
 */
export function buildSweeper(instances: InstanceDeps, runtime: RuntimeName) {
  let isDone = false
  return async (labels: Readonly<Record<string, string>>, building: ReadonlySet<string>, signal: AbortSignal) => {
    const mayRemove = () => building.size === 0
    if (!isDone && mayRemove()) isDone = await removeLostBuilds({ instances, runtime, mayRemove }, labels, signal)
  }
}

interface SweepDeps {
  instances: InstanceDeps
  runtime: RuntimeName
  /** Asked before each removal: a build may have begun in the meantime, and the leftover may belong to it. */
  mayRemove: () => boolean
}

/** Returns whether all of it is gone. */
async function removeLostBuilds(
  { instances, runtime, mayRemove }: SweepDeps,
  labels: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<boolean> {
  const { client } = instances
  const owner = labels[LABELS.instance]
  if (owner === undefined) return false
  const label = [`${BUILD_LABEL}=${owner}`]
  const find = (path: string, filters: object, all: boolean) =>
    client.json(listSchema, { method: 'GET', path, query: { all, filters: JSON.stringify(filters) } }, signal)
  for (const { Id: id, Names: names } of await find('/containers/json', { label }, true)) {
    if (!mayRemove()) return false
    await removeInstance(instances, { runtime, id, name: names?.[0]?.replace(/^\//, '') ?? id }, signal)
  }
  for (const { Id: id } of await find('/images/json', { label }, true)) {
    if (!mayRemove()) return false
    await removeImage(client, id, signal)
  }
  const unnamed = { dangling: ['true'], label: [`${BUILDER_LABEL}=${owner}`] }
  for (const { Id: id } of await find('/images/json', unnamed, false)) {
    if (!mayRemove()) return false
    // Without force: an image that lost its name may still have a container.
    await removeImage(client, id, signal, false)
  }
  return true
}

/** Leaves an image alone that is in use or already gone. */
async function removeImage(client: EngineClient, name: string, signal: AbortSignal, force = true): Promise<void> {
  await client
    .send({ method: 'DELETE', path: `/images/${name}`, query: { force } }, signal)
    .catch(() => signal.throwIfAborted())
}
