import type { Provenance } from '@toolhaven/contract/registry-document'
import { invalid } from '../../errors.ts'
import type { StoredWorkload } from '../../ports/stores.ts'
import { excerpt } from '@toolhaven/contract/visible-text'
import { parsePackageReference } from './package-reference.ts'
import type { Target } from '../operations/target.ts'

/** What the registry says about who signs the image, or why that is not enough for a check. */
export type Expectation = { provenance: Provenance } | { lack: string }

export function expectationOf(entry: StoredWorkload['entry'], image: string): Expectation {
  const provenance = entry && 'image' in entry ? entry.provenance : undefined
  const none = `no provenance is known for ${excerpt(image, 200)}`
  if (!provenance) return { lack: none }
  const { cert_issuer: issuer, repository_uri: repository, signer_identity: signer } = provenance
  // The transparency log holds everybody's certificates. Without these two fields, any of them would match.
  const isPathAlone = signer?.startsWith('/') === true && !repository
  if (issuer && (repository || signer) && !isPathAlone) return { provenance }
  return { lack: `${none}: its registry entry needs cert_issuer, and repository_uri or a whole signer_identity` }
}

/** Refuses a request for a verification that can never succeed, before anything is stored. */
export function checkVerifiable(target: Target): void {
  const instead = 'remove image_verification'
  if (target.kind !== 'image')
    throw invalid(`image_verification enabled is only for servers that run here from an image; ${instead}`)
  if (parsePackageReference(target.image))
    throw invalid(
      `image_verification enabled: the image of ${excerpt(target.image, 200)} is built here from a package, so nobody signs it; ${instead}`,
    )
  const expectation = expectationOf(target.entry, target.image)
  if ('lack' in expectation)
    throw invalid(
      `image_verification enabled: ${expectation.lack}; use a registry entry that has it, or ${instead}, which starts the image anyway`,
    )
}
