import type { Signer } from '@sigstore/verify'
import type { ImageClaim } from '@toolhaven/core/ports/image-verifier'

type Provenance = ImageClaim['expected']

/** The owner of a certificate, as its issuer saw them. */
export interface SignerIdentity {
  /** The address of a build's definition, or of a person. */
  name: string
  issuer: string
  repository?: string
  ref?: string
  runner?: string
}

/** The arc of certificate extensions that sigstore's own authority writes (its "oid-info"). */
const FULCIO = '1.3.6.1.4.1.57264.1'
const UTF8_STRING = 0x0c

export function identityOf({ identity }: Signer): SignerIdentity {
  const extension = (number: number) => {
    const found = identity?.oids?.find(({ oid }) => oid?.id.join('.') === `${FULCIO}.${number}`)
    return found && utf8String(found.value)
  }
  const [runner, repository, ref] = [extension(11), extension(12), extension(14)]
  return {
    name: identity?.subjectAlternativeName ?? '',
    issuer: identity?.extensions?.issuer ?? '',
    ...(repository !== undefined && { repository }),
    ...(ref !== undefined && { ref }),
    ...(runner !== undefined && { runner }),
  }
}

/** A short DER string: one byte for the kind, one or more for the length. */
function utf8String(der: Buffer): string | undefined {
  if (der[0] !== UTF8_STRING) return undefined
  const length = der[1] ?? 0
  const start = length < 0x80 ? 2 : 2 + (length & 0x7f)
  return der.subarray(start).toString('utf8')
}

/**
 * How the signer differs from the one that the registry names. Undefined: not at all. The library's own comparison
 * takes the expected name as a pattern that may match anywhere in the actual one, so the comparison is done here.
 */
export function mismatch(found: SignerIdentity, expected: Provenance): string | undefined {
  const { cert_issuer: issuer, repository_uri: repository, repository_ref: ref, runner_environment: runner } = expected
  const facts = [
    { what: 'vouched for by', found: found.issuer, wanted: issuer },
    { what: 'from the repository', found: plainRepository(found.repository), wanted: plainRepository(repository) },
    { what: 'of the ref', found: found.ref, wanted: ref },
    { what: 'on a runner', found: found.runner, wanted: runner },
  ]
  const wrong = facts.find((fact) => fact.wanted && fact.found !== fact.wanted)
  if (wrong) return `it is signed ${wrong.what} ${wrong.found || 'nobody knows which'}, but should be ${wrong.wanted}`
  const { signer_identity: signer } = expected
  if (!signer || isSigner(found.name, signer, repository)) return undefined
  return `it is signed by ${found.name}, but should be by ${signer}`
}

/** A path belongs to the repository. Without a ref, any ref of it matches. */
function isSigner(name: string, signer: string, repository: string | undefined): boolean {
  const wanted = signer.startsWith('/') ? `${plainRepository(repository)}${signer}` : signer
  return name === wanted || name.replace(/@refs\/.*$/, '') === wanted
}

function plainRepository(uri: string | undefined): string | undefined {
  return uri?.replace(/\/+$/, '').replace(/\.git$/, '')
}
