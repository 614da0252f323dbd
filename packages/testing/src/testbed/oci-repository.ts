import { createHash } from 'node:crypto'
import type { SignedLayer } from './image-signer.ts'

const MANIFEST = 'application/vnd.oci.image.manifest.v1+json'
const INDEX = 'application/vnd.oci.image.index.v1+json'
const BUNDLE = 'application/vnd.dev.sigstore.bundle.v0.3+json'

type Ask = typeof fetch

export interface PushedManifest {
  digest: string
  bytes: Buffer
}

/** Writes to one repository of a registry without an engine. */
export interface OciRepository {
  /** `HOST/NAME`, to put before a tag or a digest. */
  name: string
  /** An image that no engine would run. `text` makes it different from others. */
  pushImage(tag: string, text: string): Promise<PushedManifest>
  /** An index of images, one for each processor. */
  pushIndex(tag: string, images: Readonly<Record<string, PushedManifest>>): Promise<PushedManifest>
  /** Puts layers where cosign puts them. */
  pushSignatures(digest: string, layers: readonly SignedLayer[]): Promise<void>
  /** Puts bundles beside an image and lists them under the tag that replaces a list. Returns that list. */
  pushBundles(image: PushedManifest, bundles: readonly object[]): Promise<Buffer>
  /** Makes a tag mean another manifest. */
  tag(tag: string, manifest: PushedManifest): Promise<void>
  manifest(tagOrDigest: string): Promise<PushedManifest>
}

/** `ask` is for registries that need a login. */
export function openOciRepository(host: string, path: string, ask: Ask = fetch): OciRepository {
  const base = `http://${host}/v2/${path}`
  const pushBlob = (bytes: Buffer, mediaType: string) => uploadBlob(ask, base, bytes, mediaType)
  const pushManifest = async (reference: string | undefined, content: object | Buffer, mediaType: string) => {
    const bytes = Buffer.isBuffer(content) ? content : Buffer.from(JSON.stringify(content))
    const digest = digestOf(bytes)
    const url = `${base}/manifests/${reference ?? digest}`
    await must(await ask(url, { method: 'PUT', headers: { 'content-type': mediaType }, body: Buffer.from(bytes) }))
    return { digest, bytes }
  }
  const imageOf = async (layers: object[], extra: object = {}) => {
    const config = await pushBlob(Buffer.from('{}'), 'application/vnd.oci.image.config.v1+json')
    return { schemaVersion: 2, mediaType: MANIFEST, config, layers, ...extra }
  }
  return {
    name: `${host}/${path}`,
    pushImage: async (tag, text) =>
      pushManifest(tag, await imageOf([await pushBlob(Buffer.from(text), 'application/octet-stream')]), MANIFEST),
    pushIndex: (tag, images) => {
      const manifests = Object.entries(images).map(([architecture, image]) => ({
        ...descriptorOf(image, MANIFEST),
        platform: { os: 'linux', architecture },
      }))
      return pushManifest(tag, { schemaVersion: 2, mediaType: INDEX, manifests }, INDEX)
    },
    async pushSignatures(digest, signatures) {
      const layers: object[] = []
      for (const { payload, annotations } of signatures)
        layers.push({
          ...(await pushBlob(payload, 'application/vnd.dev.cosign.simplesigning.v1+json')),
          annotations,
        })
      await pushManifest(`${digest.replace(':', '-')}.sig`, await imageOf(layers), MANIFEST)
    },
    async pushBundles(image, bundles) {
      const manifests: object[] = []
      for (const bundle of bundles) {
        const layer = await pushBlob(Buffer.from(JSON.stringify(bundle)), BUNDLE)
        const extra = { artifactType: BUNDLE, subject: descriptorOf(image, MANIFEST) }
        const holder = await pushManifest(undefined, await imageOf([layer], extra), MANIFEST)
        manifests.push({ ...descriptorOf(holder, MANIFEST), artifactType: BUNDLE })
      }
      const list = { schemaVersion: 2, mediaType: INDEX, manifests }
      return (await pushManifest(image.digest.replace(':', '-'), list, INDEX)).bytes
    },
    async tag(tag, { bytes }) {
      await pushManifest(tag, bytes, MANIFEST)
    },
    async manifest(reference) {
      const answer = await must(await ask(`${base}/manifests/${reference}`, { headers: { accept: ANY_MANIFEST } }))
      const bytes = Buffer.from(await answer.arrayBuffer())
      return { digest: digestOf(bytes), bytes }
    },
  }
}

const ANY_MANIFEST = `${MANIFEST}, ${INDEX}, application/vnd.docker.distribution.manifest.v2+json`

const digestOf = (bytes: Buffer) => `sha256:${createHash('sha256').update(bytes).digest('hex')}`
const descriptorOf = ({ digest, bytes }: PushedManifest, mediaType: string) => ({
  mediaType,
  digest,
  size: bytes.length,
})

async function uploadBlob(ask: Ask, base: string, bytes: Buffer, mediaType: string) {
  const digest = digestOf(bytes)
  const begun = await must(await ask(`${base}/blobs/uploads/`, { method: 'POST' }))
  const target = new URL(begun.headers.get('location') ?? '', base)
  target.searchParams.set('digest', digest)
  const headers = { 'content-type': 'application/octet-stream' }
  await must(await ask(target, { method: 'PUT', headers, body: Buffer.from(bytes) }))
  return { mediaType, digest, size: bytes.length }
}

async function must(answer: Response): Promise<Response> {
  if (!answer.ok) throw new Error(`the registry answered ${answer.status}: ${await answer.text()}`)
  return answer
}
