import { LABELS, type InstanceSpec } from '@toolhaven/core/ports/runtime'
import { z } from 'zod'
import type { EngineClient } from './engine-client.ts'
import { hasStatus, refusal } from './engine-fault.ts'

/** Volumes of one instance on an engine that shares no folders with us. */
export interface InstanceVolumes {
  out: string
  in: string
  /** What the workload is started with. */
  tools: string
}

export function volumesOf(instance: string): InstanceVolumes {
  return { out: `thvnet-${instance}-out`, in: `thvnet-${instance}-in`, tools: `thvnet-${instance}-tools` }
}

/** Called before the containers that mount them are created. Our labels find them if nothing else is left. */
export async function createVolumes(
  client: EngineClient,
  { name: instance, labels }: InstanceSpec,
  signal: AbortSignal,
): Promise<void> {
  const owner = labels[LABELS.instance]
  const ours = { [LABELS.marker]: 'true', ...(owner && { [LABELS.instance]: owner }) }
  for (const name of Object.values(volumesOf(instance))) {
    const call = { method: 'POST', path: '/volumes/create', body: { Name: name, Labels: ours } } as const
    await client.send(call, signal).catch((error: unknown) => {
      throw refusal(`create the volume ${name}`, error)
    })
  }
}

/** In the engine's form. The first container that mounts it fills it from its image. */
export function volumeMount(name: string, target: string, isReadOnly: boolean): Record<string, unknown> {
  return { Type: 'volume', Source: name, Target: target, ReadOnly: isReadOnly }
}

/** Called after the containers that mount them are removed. */
export async function removeVolumes(client: EngineClient, instance: string, signal: AbortSignal): Promise<void> {
  for (const name of Object.values(volumesOf(instance))) await removeVolume(client, name, signal)
}

const listSchema = z.looseObject({
  Volumes: z.array(z.looseObject({ Name: z.string(), Labels: z.record(z.string(), z.string()).nullish() })).nullish(),
})

/** Removes volumes of a daemon that ended between the last container and its volumes. Finds them by our labels. */
export async function removeLostVolumes(
  client: EngineClient,
  labels: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<void> {
  const wanted = Object.entries(labels)
  const filters = JSON.stringify({ dangling: ['true'], label: wanted.map(([key, value]) => `${key}=${value}`) })
  const call = { method: 'GET', path: '/volumes', query: { filters } } as const
  const { Volumes: found } = await client.json(listSchema, call, signal).catch((error: unknown) => {
    throw refusal('list volumes', error)
  })
  const lost = (found ?? []).filter((volume) => wanted.every(([key, value]) => volume.Labels?.[key] === value))
  for (const { Name: name } of lost) await removeVolume(client, name, signal)
}

async function removeVolume(client: EngineClient, name: string, signal: AbortSignal): Promise<void> {
  await client.send({ method: 'DELETE', path: `/volumes/${name}` }, signal).catch((error: unknown) => {
    if (!hasStatus(error, 404)) throw refusal(`remove the volume ${name}`, error)
  })
}
