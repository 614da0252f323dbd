import { createHash } from 'node:crypto'
import { z } from 'zod'
import { unavailable } from '@toolhaven/core/errors'
import type { ImageReference } from '../engine/image-reference.ts'
import { registryCredentials } from '../engine/registry-credentials.ts'
import { createAuthorization } from './registry-authorization.ts'
import type { RegistryFetch } from './registry-fetch.ts'

export interface RegistryClientOptions {
  fetch: RegistryFetch
  dockerConfigFolder: string
}

export interface StoredManifest {
  digest: string
  bytes: Buffer
}

/**
 * Reads one repository of a registry. Missing content is undefined. A registry that does not answer is `unavailable`.
 */
export interface RegistryClient {
  /** By tag or by digest. A digest is always the hash of the content. */
  manifest(tagOrDigest: string, signal: AbortSignal): Promise<StoredManifest | undefined>
  blob(digest: string, signal: AbortSignal): Promise<Buffer | undefined>
  /** The list of what refers to a manifest. Undefined for registries that keep no such lists. */
  referrers(digest: string, signal: AbortSignal): Promise<Buffer | undefined>
  /** A page of the tags that follow one, in the registry's order. Undefined: there is no such repository. */
  tagsAfter(last: string | undefined, signal: AbortSignal): Promise<Buffer | undefined>
}

/** A registry may give fewer. */
const TAGS_ON_A_PAGE = 1000

const MANIFEST_TYPES = [
  'application/vnd.oci.image.index.v1+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
  'application/vnd.oci.image.manifest.v1+json',
  'application/vnd.docker.distribution.manifest.v2+json',
].join(', ')

export function createRegistryClient(options: RegistryClientOptions, image: ImageReference): RegistryClient {
  const { repository } = image
  let opened: Promise<Get> | undefined
  const get = async (path: string, accept: string, signal: AbortSignal): Promise<Buffer | undefined> => {
    const read = await (opened ??= open(options, image, signal))
    return read(`/v2/${repository}/${path}`, accept, signal)
  }
  return {
    async manifest(tagOrDigest, signal) {
      const bytes = await get(`manifests/${tagOrDigest}`, MANIFEST_TYPES, signal)
      if (bytes === undefined) return undefined
      const digest = sha256(bytes)
      if (tagOrDigest.startsWith('sha256:') && digest !== tagOrDigest) throw wrongContent(image, tagOrDigest)
      return { digest, bytes }
    },
    async blob(digest, signal) {
      const bytes = await get(`blobs/${digest}`, '*/*', signal)
      if (bytes !== undefined && sha256(bytes) !== digest) throw wrongContent(image, digest)
      return bytes
    },
    referrers: (digest, signal) => get(`referrers/${digest}`, 'application/vnd.oci.image.index.v1+json', signal),
    tagsAfter: (last, signal) => {
      const after = last === undefined ? '' : `&last=${encodeURIComponent(last)}`
      return get(`tags/list?n=${TAGS_ON_A_PAGE}${after}`, 'application/json', signal)
    },
  }
}

export const sha256 = (bytes: Uint8Array): string => `sha256:${createHash('sha256').update(bytes).digest('hex')}`

type Get = (path: string, accept: string, signal: AbortSignal) => Promise<Buffer | undefined>

/** Finds out which protocol the registry uses and how to authenticate. */
async function open(options: RegistryClientOptions, image: ImageReference, signal: AbortSignal): Promise<Get> {
  const { fetch, dockerConfigFolder } = options
  const { registry, repository } = image
  const credentials = await registryCredentials(dockerConfigFolder, registry, signal)
  const base = await baseOf(fetch, registry, signal)
  const authorization = createAuthorization({ fetch, base, repository, ...(credentials && { credentials }) })
  return async (path, accept, limit) => {
    let answer = await fetch(`${base}${path}`, { headers: { accept, ...authorization.header() }, signal: limit })
    if (answer.status === 401 && (await authorization.renew(answer.headers.get('www-authenticate'), limit)))
      answer = await fetch(`${base}${path}`, { headers: { accept, ...authorization.header() }, signal: limit })
    if (answer.status === 200) return Buffer.from(await answer.arrayBuffer())
    await answer.body?.cancel()
    if (answer.status === 404) return undefined
    const login = answer.status === 401 || answer.status === 403 ? `; run "docker login ${registry}"` : ''
    throw unavailable(`${registry} answered ${answer.status} when asked for ${repository}${login}`)
  }
}

/** On the loopback plain HTTP works too, as for engines. */
async function baseOf(fetch: RegistryFetch, registry: string, signal: AbortSignal): Promise<string> {
  if (registry === 'docker.io') return 'https://registry-1.docker.io'
  const isLoopback = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?$/.test(registry)
  if (!isLoopback) return `https://${registry}`
  try {
    await (await fetch(`https://${registry}/v2/`, { signal })).body?.cancel()
    return `https://${registry}`
  } catch {
    signal.throwIfAborted()
    return `http://${registry}`
  }
}

function wrongContent({ registry, repository }: ImageReference, digest: string) {
  return unavailable(`${registry} gave something else for ${digest} of ${repository}`)
}

/** A manifest, an index or a list of referrers: the parts that lead to signatures. */
const descriptor = z.looseObject({
  mediaType: z.string().default(''),
  artifactType: z.string().optional(),
  digest: z.string().regex(/^sha256:[0-9a-f]{64}$/),
  annotations: z.record(z.string(), z.string()).optional(),
  platform: z.looseObject({ architecture: z.string(), os: z.string() }).optional(),
})
export type Descriptor = z.infer<typeof descriptor>

const manifestSchema = z.looseObject({
  layers: z.array(descriptor).default([]),
  manifests: z.array(descriptor).default([]),
})

/** Undefined when the bytes are not a manifest. */
export function readManifest(bytes: Buffer): z.infer<typeof manifestSchema> | undefined {
  try {
    return manifestSchema.safeParse(JSON.parse(bytes.toString('utf8'))).data
  } catch {
    return undefined
  }
}
