import type { Verifier } from '@sigstore/verify'
import { describeError } from '@toolhaven/core/errors'
import type { ImageClaim, Verdict } from '@toolhaven/core/ports/image-verifier'
import { excerpt } from '@toolhaven/contract/visible-text'
import { parseImageReference } from '../engine/image-reference.ts'
import { checkSignature } from './check-signature.ts'
import { findSignatures } from './find-signatures.ts'
import {
  type RegistryClient,
  type RegistryClientOptions,
  type StoredManifest,
  createRegistryClient,
  readManifest,
} from './registry-client.ts'
import type { TrustRoots } from './trust-roots.ts'

export interface VerifyDeps extends RegistryClientOptions {
  trustRoots: TrustRoots
  architecture: string
}

/** Throws when the registry does not answer. */
export async function verifyImage(deps: VerifyDeps, claim: ImageClaim, signal: AbortSignal): Promise<Verdict> {
  const image = parseImageReference(claim.reference)
  const client = createRegistryClient(deps, image)
  const wanted = claim.digest ?? image.digest ?? image.tag ?? 'latest'
  const manifest = await client.manifest(wanted, signal)
  if (manifest === undefined) {
    const reason = `${image.registry} has no ${wanted} of ${image.repository}`
    return { outcome: 'unreachable', reason, ...(claim.digest !== undefined && { digest: claim.digest }) }
  }
  const { digest } = manifest
  try {
    const verifier = await deps.trustRoots(claim.expected.sigstore_url, signal)
    const scene = { client, verifier, claim }
    const whole = await judge(scene, manifest, signal)
    if (whole.outcome === 'verified') return whole
    const part = await partFor(deps.architecture, client, manifest, signal)
    const ofPart = part && (await judge(scene, part, signal))
    if (ofPart?.outcome === 'verified') return ofPart
    return ofPart && whole.outcome === 'unsigned' ? { ...ofPart, digest } : whole
  } catch (error) {
    return { outcome: 'unreachable', digest, reason: describeError(error) }
  }
}

interface Scene {
  client: RegistryClient
  verifier: Verifier
  claim: ImageClaim
}

/** One that matches is enough: other signatures of the image prove nothing against it. */
async function judge(
  { client, verifier, claim: { expected } }: Scene,
  manifest: StoredManifest,
  signal: AbortSignal,
): Promise<Exclude<Verdict, { outcome: 'unreachable' }>> {
  const { digest } = manifest
  let reason: string | undefined
  for await (const signature of findSignatures(client, manifest, signal)) {
    const found = checkSignature(verifier, signature, { digest, expected })
    if ('signer' in found) return { outcome: 'verified', digest, signer: excerpt(found.signer, 300) }
    reason ??= found.reason
  }
  if (reason === undefined)
    return { outcome: 'unsigned', digest, reason: 'its registry has no signature of it that sigstore could check' }
  return { outcome: 'rejected', digest, reason: excerpt(reason, 600) }
}

/** Node's names of processors, with the names that images use. */
const ARCHITECTURES: Readonly<Record<string, string>> = { x64: 'amd64', ia32: '386' }

/**
 * An index contains the digests of the images for each kind of processor, so the one for ours is known to belong to it.
 * Where only that image is signed, it is verified and started in place of the index.
 */
async function partFor(
  architecture: string,
  client: RegistryClient,
  index: StoredManifest,
  signal: AbortSignal,
): Promise<StoredManifest | undefined> {
  const wanted = ARCHITECTURES[architecture] ?? architecture
  const part = readManifest(index.bytes)?.manifests.find(
    ({ platform }) => platform?.os === 'linux' && platform.architecture === wanted,
  )
  return part && client.manifest(part.digest, signal)
}
