import { unavailable } from '@toolhaven/core/errors'
import type { ImageRegistry } from '@toolhaven/core/ports/image-registry'
import { z } from 'zod'
import { parseImageReference } from '../engine/image-reference.ts'
import {
  type RegistryClient,
  type RegistryClientOptions,
  createRegistryClient,
  readManifest,
} from './registry-client.ts'

const MOST_PAGES = 50

const pageSchema = z.looseObject({ tags: z.array(z.string()).nullish() })
/** No image can be named by other texts that a registry lists as tags. */
const TAG = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$/

/** Asks registries with the logins of Docker's configuration, as engines do. */
export function createImageRegistry(options: RegistryClientOptions): ImageRegistry {
  return {
    async tags(reference, signal) {
      const image = parseImageReference(reference)
      const tags = await allTags(createRegistryClient(options, image), signal)
      if (tags === undefined) throw unavailable(`${image.registry} no longer has ${image.repository}`)
      return tags
    },
    async digests(reference, signal) {
      const image = parseImageReference(reference)
      const wanted = image.digest ?? image.tag ?? 'latest'
      const manifest = await createRegistryClient(options, image).manifest(wanted, signal)
      if (manifest === undefined) return undefined
      const parts = readManifest(manifest.bytes)?.manifests ?? []
      return [manifest.digest, ...parts.map(({ digest }) => digest)]
    },
  }
}

/** Page by page: the answer without anything new is the last one, also for registries without pages. */
async function allTags(client: RegistryClient, signal: AbortSignal): Promise<string[] | undefined> {
  const known = new Set<string>()
  for (let page = 0, last: string | undefined; page < MOST_PAGES; page += 1) {
    const bytes = await client.tagsAfter(last, signal)
    if (bytes === undefined) return page === 0 ? undefined : [...known]
    const fresh = tagsIn(bytes).filter((tag) => !known.has(tag))
    if (fresh.length === 0) break
    for (const tag of fresh) known.add(tag)
    last = fresh.at(-1)
  }
  return [...known]
}

function tagsIn(bytes: Buffer): string[] {
  try {
    const { tags } = pageSchema.parse(JSON.parse(bytes.toString('utf8')))
    return (tags ?? []).filter((tag) => TAG.test(tag))
  } catch (error) {
    throw unavailable('its registry answered with something that is not a list of tags. Try again later', error)
  }
}
