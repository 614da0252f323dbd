import { type Bundle, bundleFromJSON } from '@sigstore/bundle'
import { isThvError } from '@toolhaven/core/errors'
import { cosignBundle } from './cosign-bundle.ts'
import { type Descriptor, type RegistryClient, type StoredManifest, readManifest } from './registry-client.ts'

export type FoundSignature =
  | {
      bundle: Bundle
      /** What was signed, where the bundle does not contain it. */
      artifact: Buffer
      /** `payload`: a small document about the image. `manifest`: the image's own manifest. */
      signed: 'payload' | 'manifest'
    }
  /** There is one, but it cannot be used. */
  | { fault: string }

/** Anyone who may push can put any number beside an image. */
const MAX_SIGNATURES = 32
const BUNDLE_TYPE = /^application\/vnd\.dev\.sigstore\.bundle[.+]/
const PAYLOAD_TYPE = 'application/vnd.dev.cosign.simplesigning.v1+json'

/**
 * Everything about this manifest that may be a signature: bundles that refer to it, then what cosign stores under a
 * tag.
 */
export async function* findSignatures(
  client: RegistryClient,
  manifest: StoredManifest,
  signal: AbortSignal,
): AsyncGenerator<FoundSignature> {
  let left = MAX_SIGNATURES
  for (const referrer of await referrersOf(client, manifest.digest, signal)) {
    if (left === 0) return
    left -= 1
    yield await readBundle(client, referrer, manifest, signal)
  }
  for (const layer of await cosignLayers(client, manifest.digest, signal)) {
    if (left === 0) return
    left -= 1
    yield await readLayer(client, layer, signal)
  }
}

/** From the registry's own list, or from the tag that replaces it where the registry keeps none. */
async function referrersOf(client: RegistryClient, digest: string, signal: AbortSignal): Promise<Descriptor[]> {
  const list = (await client.referrers(digest, signal)) ?? (await client.manifest(tagOf(digest), signal))?.bytes
  const found = list === undefined ? [] : (readManifest(list)?.manifests ?? [])
  return found.filter(({ artifactType }) => artifactType !== undefined && BUNDLE_TYPE.test(artifactType))
}

async function readBundle(
  client: RegistryClient,
  referrer: Descriptor,
  { bytes: artifact }: StoredManifest,
  signal: AbortSignal,
): Promise<FoundSignature> {
  const holder = await client.manifest(referrer.digest, signal)
  const layer = holder && readManifest(holder.bytes)?.layers.find(({ mediaType }) => BUNDLE_TYPE.test(mediaType))
  const content = layer && (await client.blob(layer.digest, signal))
  if (content === undefined) return { fault: 'a bundle is announced but not there' }
  return unlessMalformed(() => {
    const bundle = bundleFromJSON(JSON.parse(content.toString('utf8')))
    return { bundle, artifact, signed: 'manifest' }
  })
}

async function cosignLayers(client: RegistryClient, digest: string, signal: AbortSignal): Promise<Descriptor[]> {
  const found = await client.manifest(`${tagOf(digest)}.sig`, signal)
  const layers = found === undefined ? [] : (readManifest(found.bytes)?.layers ?? [])
  return layers.filter(({ mediaType }) => mediaType === PAYLOAD_TYPE)
}

async function readLayer(client: RegistryClient, layer: Descriptor, signal: AbortSignal): Promise<FoundSignature> {
  const artifact = await client.blob(layer.digest, signal)
  if (artifact === undefined) return { fault: 'what cosign signed is not there' }
  return unlessMalformed(() => ({
    bundle: cosignBundle(layer.annotations ?? {}, artifact),
    artifact,
    signed: 'payload',
  }))
}

function unlessMalformed(read: () => FoundSignature): FoundSignature {
  try {
    return read()
  } catch (error) {
    // Our messages say what is wrong. Those of parsers may repeat their input.
    return { fault: isThvError(error) ? error.message : 'it cannot be read' }
  }
}

const tagOf = (digest: string) => digest.replace(':', '-')
