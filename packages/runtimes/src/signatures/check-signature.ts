import { isDeepStrictEqual } from 'node:util'
import type { Bundle } from '@sigstore/bundle'
import { type Signer, type Verifier, toSignedEntity } from '@sigstore/verify'
import { z } from 'zod'
import type { ImageClaim } from '@toolhaven/core/ports/image-verifier'
import { describeError } from '@toolhaven/core/errors'
import type { FoundSignature } from './find-signatures.ts'
import { identityOf, mismatch } from './signer-identity.ts'

type Provenance = ImageClaim['expected']

export interface Expected {
  digest: string
  expected: Provenance
}

/** Whether this signature is valid, for this very image, and by the signer that the registry names. */
export function checkSignature(
  verifier: Verifier,
  signature: FoundSignature,
  { digest, expected }: Expected,
): { signer: string } | { reason: string } {
  if ('fault' in signature) return { reason: `its signature is of no use: ${signature.fault}` }
  const { bundle, artifact, signed } = signature
  let signer: Signer
  try {
    signer = verifier.verify(toSignedEntity(bundle, artifact))
  } catch (error) {
    return { reason: `its signature is not valid: ${describeError(error)}` }
  }
  const fault = signed === 'payload' ? payloadFault(artifact, digest, expected) : bundleFault(bundle, digest, expected)
  if (fault !== undefined) return { reason: fault }
  const identity = identityOf(signer)
  const other = mismatch(identity, expected)
  return other === undefined ? { signer: identity.name } : { reason: other }
}

const payloadSchema = z.looseObject({
  critical: z.looseObject({
    type: z.literal('cosign container image signature'),
    image: z.looseObject({ 'docker-manifest-digest': z.string() }),
  }),
})

const OTHER_IMAGE = 'its signature is about another image'

function payloadFault(payload: Buffer, digest: string, { attestation }: Provenance): string | undefined {
  if (attestation?.predicate_type) return missing(attestation.predicate_type)
  const parsed = payloadSchema.safeParse(jsonOf(payload))
  return parsed.data?.critical.image['docker-manifest-digest'] === digest ? undefined : OTHER_IMAGE
}

const statementSchema = z.looseObject({
  _type: z.string().regex(/^https:\/\/in-toto\.io\/Statement\/v[01](\.1)?$/),
  subject: z.array(z.looseObject({ digest: z.record(z.string(), z.string()) })),
  predicateType: z.string(),
  predicate: z.unknown(),
})

/**
 * Statements that say "this is mine" or "this is how I made it". A list of known weaknesses, for example, is not one.
 */
const SAYS_WHO_MADE_IT = /^https:\/\/(sigstore\.dev\/cosign\/sign\/v1|slsa\.dev\/provenance\/v[\d.]+)$/

function bundleFault({ content }: Bundle, digest: string, { attestation }: Provenance): string | undefined {
  const wantedType = attestation?.predicate_type
  // The signature is over the manifest itself, whose hash is the digest.
  if (content.$case === 'messageSignature') return wantedType ? missing(wantedType) : undefined
  const { payloadType, payload } = content.dsseEnvelope
  const statement = statementSchema.safeParse(jsonOf(payload)).data
  if (payloadType !== 'application/vnd.in-toto+json' || !statement) return 'its attestation cannot be read'
  if (!statement.subject.some((subject) => `sha256:${subject.digest['sha256']}` === digest)) return OTHER_IMAGE
  const { predicateType } = statement
  if (wantedType ? predicateType !== wantedType : !SAYS_WHO_MADE_IT.test(predicateType))
    return `its attestation is of another kind: ${predicateType}`
  const isAsWanted = attestation?.predicate === undefined || holds(statement.predicate, attestation.predicate)
  return isAsWanted ? undefined : 'its attestation says something else than the registry'
}

const missing = (type: string) => `it is signed, but has no attestation ${type}`

/** Everything that is wanted is there and equal. Objects may contain more. */
function holds(found: unknown, wanted: unknown): boolean {
  if (!isRecord(wanted)) return isDeepStrictEqual(found, wanted)
  return isRecord(found) && Object.entries(wanted).every(([key, value]) => holds(found[key], value))
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function jsonOf(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch {
    return undefined
  }
}
