import { describeError } from '@toolhaven/core/errors'
import type { ImageVerifier } from '@toolhaven/core/ports/image-verifier'
import type { RegistryFetch } from './registry-fetch.ts'

export interface ImageVerifierOptions {
  /** Folder of Docker's `config.json`: a registry that asks for a login for the image asks for its signatures too. */
  dockerConfigFolder: string
  fetch: RegistryFetch
  /** Where what is known of the public trust root is kept. */
  cacheDir: string
  /** A trust root in a file, instead of the public one. */
  trustedRootPath: () => string | undefined
  /** Of the machine, as Node calls it: which of the images in an index is looked at. */
  architecture: string
}

const LIMIT_MS = 30_000

/** Checks signatures with sigstore's own library. It is loaded with the first image that is to be verified. */
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
