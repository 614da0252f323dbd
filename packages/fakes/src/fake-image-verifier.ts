import type { ImageClaim, ImageVerifier, Verdict } from '@toolhaven/core/ports/image-verifier'

/** Gives the verdict about every image that a test sets. */
export class FakeImageVerifier implements ImageVerifier {
  readonly claims: ImageClaim[] = []
  verdict: Verdict = { outcome: 'verified', digest: `sha256:${'a'.repeat(64)}`, signer: 'https://git.example.com/ci' }

  async verify(claim: ImageClaim): Promise<Verdict> {
    this.claims.push(claim)
    return this.verdict
  }
}
