import type { ImageClaim, ImageVerifier, Verdict } from '@toolhaven/core/ports/image-verifier'

/** Says of every image what a test wants to hear. */
export class FakeImageVerifier implements ImageVerifier {
  readonly claims: ImageClaim[] = []
  verdict: Verdict = { outcome: 'verified', digest: `sha256:${'a'.repeat(64)}`, signer: 'https://git.example.com/ci' }

  async verify(claim: ImageClaim): Promise<Verdict> {
    this.claims.push(claim)
    return this.verdict
  }
}
