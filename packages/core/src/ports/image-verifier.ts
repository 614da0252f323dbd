import type { Provenance } from '@toolhaven/contract/registry-document'

/** Finds out at an image's own registry who signed it. */
export interface ImageVerifier {
  /** Looks for one signature that fits. Whatever goes wrong is a verdict; only an abort of the caller's is thrown. */
  verify(claim: ImageClaim, signal: AbortSignal): Promise<Verdict>
}

export interface ImageClaim {
  reference: string
  /** Which of the images that had this name; left out: the one that has it now. */
  digest?: string
  expected: Provenance
}

export type Verdict =
  /** `digest` is what must be started: the claimed one, or what it holds for this machine's processor. */
  | { outcome: 'verified'; digest: string; signer: string }
  | { outcome: 'unsigned' | 'rejected'; digest: string; reason: string }
  /** The registry or the trust root did not answer: nothing is known. */
  | { outcome: 'unreachable'; digest?: string; reason: string }
