import { describeError } from '@toolhaven/core/errors'
import type { ImageVerifier } from '@toolhaven/core/ports/image-verifier'
import type { RegistryFetch } from './registry-fetch.ts'

export interface ImageVerifierOptions {
  /**
   * Folder of Docker's `config.json`: a registry that requires a login for the image also requires it for signatures.
   */
  dockerConfigFolder: string
  fetch: RegistryFetch
  /** Cache for the public trust root. */
  cacheDir: string
  /** A trust root in a file, instead of the public one. */
  trustedRootPath: () => string | undefined
  /** The machine's architecture, in Node's terms: selects an image from an index. */
  architecture: string
}

const LIMIT_MS = 30_000

/** Checks signatures with sigstore's own library, which is loaded with the first image to be verified. */
export function createImageVerifier(options: ImageVerifierOptions): ImageVerifier {
  let loaded: ReturnType<typeof load> | undefined
  const load = async () => {
    const [{ verifyImage }, { createTrustRoots }] = await Promise.all([
      import('./verify-image.ts'),
      import('./trust-roots.ts'),
    ])
    const trustRoots = createTrustRoots(options)
    return (...[claim, signal]: Parameters<ImageVerifier['verify']>) =>
      verifyImage({ ...options, trustRoots }, claim, signal)
  }
  return {
    async verify(claim, signal) {
      try {
        const verify = await (loaded ??= load())
        return await verify(claim, AbortSignal.any([signal, AbortSignal.timeout(LIMIT_MS)]))
      } catch (error) {
        signal.throwIfAborted()
        const { digest } = claim
        return { outcome: 'unreachable', reason: describeError(error), ...(digest !== undefined && { digest }) }
      }
    },
  }
}
