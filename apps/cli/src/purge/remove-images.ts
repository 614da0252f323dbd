import * as z from 'zod'
import type { EngineIdentity } from '@toolhaven/runtimes/discover'
import { type EngineClient, createEngineClient } from '@toolhaven/runtimes/engine/engine-client'
import { BUILD_LABEL } from '@toolhaven/runtimes/packages/template'

const images = z.array(
  z.looseObject({
    Id: z.string(),
    RepoTags: z.array(z.string()).nullish(),
    Labels: z.record(z.string(), z.string()).nullish(),
  }),
)

export interface ImageRemoval {
  removed: string[]
  /** Each entry includes the reason. */
  kept: string[]
}

/** Names of the images of packages and of the forwarder. No registry uses such names. */
const MADE_HERE = ['toolhaven.local/', 'localhost/toolhaven-forwarder-']

/**
 * Removes the images that were built here, and what an interrupted build left behind. An image that
 * has another name as well keeps that name.
 */
export async function removeImages({ kind, address }: EngineIdentity, signal: AbortSignal): Promise<ImageRemoval> {
  const client = createEngineClient(kind === 'podman' ? 'Podman' : 'Docker', address)
  const listed = await client.json(images, { method: 'GET', path: '/images/json' }, signal)
  const removal: ImageRemoval = { removed: [], kept: [] }
  for (const { Id, RepoTags, Labels } of listed) {
    const tags = (RepoTags ?? []).filter((tag) => tag !== '<none>:<none>')
    const isLeftover = tags.length === 0 && Object.hasOwn(Labels ?? {}, BUILD_LABEL)
    const names = isLeftover ? [Id] : tags.filter((tag) => MADE_HERE.some((prefix) => tag.startsWith(prefix)))
    for (const name of names) await removeImage(client, name, removal, signal)
  }
  return removal
}

async function removeImage(client: EngineClient, name: string, removal: ImageRemoval, signal: AbortSignal) {
  try {
    await client.send({ method: 'DELETE', path: `/images/${name}` }, signal)
    removal.removed.push(`image ${name}`)
  } catch (error) {
    signal.throwIfAborted()
    // A container of another installation uses the image.
    removal.kept.push(`image ${name}: ${error instanceof Error ? error.message : String(error)}`)
  }
}
