import type { Provenance } from '@toolhaven/contract/registry-document'

/** Asks an image's own registry who signed the image. */
export interface ImageVerifier {
  /** Looks for one matching signature. Every failure is a verdict; only the caller's abort is thrown. */
  verify(claim: ImageClaim, signal: AbortSignal): Promise<Verdict>
}

export interface ImageClaim {
  reference: string
  /** Picks one of the images that had this name (default: the one that has it now). */
  digest?: string
  expected: Provenance
}

export type Verdict =
  /** `digest` is the image to start: the claimed one, or the image in it for this machine's processor. */
  | { outcome: 'verified'; digest: string; signer: string }
  | { outcome: 'unsigned' | 'rejected'; digest: string; reason: string }
  /** The registry or the trust root did not answer: nothing is known. */
  | { outcome: 'unreachable'; digest?: string; reason: string }
