import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { TrustedRoot } from '@sigstore/protobuf-specs'
import { DEFAULT_MIRROR_URL, getTrustedRoot } from '@sigstore/tuf'
import { toTrustMaterial, Verifier } from '@sigstore/verify'
import { describeError, unavailable } from '@toolhaven/core/errors'

export interface TrustRootsOptions {
  cacheDir: string
  trustedRootPath: () => string | undefined
}

/**
 * Returns the trust root that signatures are checked against. `sigstoreUrl` is what a registry entry says about where
 * the signature was made.
 */
export type TrustRoots = (sigstoreUrl: string | undefined, signal: AbortSignal) => Promise<Verifier>

const REFRESH_AFTER_MS = 60 * 60_000
const FETCH_MS = 5_000

export function createTrustRoots({ cacheDir, trustedRootPath }: TrustRootsOptions): TrustRoots {
  let kept: { verifier: Verifier; until: number } | undefined
  return async (sigstoreUrl, signal) => {
    const path = trustedRootPath()
    if (path !== undefined) return verifierOf(await readRoot(path))
    const { host } = new URL(DEFAULT_MIRROR_URL)
    const wanted = sigstoreUrl?.replace(/^https:\/\//, '').replace(/\/+$/, '') || host
    // A root from the very place that it vouches for would prove nothing.
    if (wanted !== host)
      throw unavailable(
        `the trust root of ${JSON.stringify(wanted)} is not known here. Save its trusted_root.json and name the file as trusted_root_path in the configuration`,
      )
    if (kept !== undefined && Date.now() < kept.until) return kept.verifier
    const verifier = verifierOf(await untilAborted(publicRoot(join(cacheDir, 'sigstore')), signal))
    kept = { verifier, until: Date.now() + REFRESH_AFTER_MS }
    return verifier
  }
}

async function readRoot(path: string): Promise<TrustedRoot> {
  try {
    const value: unknown = JSON.parse(await readFile(path, 'utf8'))
    return TrustedRoot.fromJSON(value)
  } catch (error) {
    throw unavailable(`the trust root ${path} cannot be read: ${describeError(error)}`, error)
  }
}

/**
 * The library contains the first root and follows its successors. Without a network, the last ones are used while they
 * are valid.
 */
async function publicRoot(cachePath: string): Promise<TrustedRoot> {
  const options = { cachePath, retry: { retries: 1 }, timeout: FETCH_MS }
  try {
    return await getTrustedRoot(options)
  } catch (error) {
    const offline = await getTrustedRoot({ ...options, retry: false, forceCache: true }).catch(() => undefined)
    if (offline) return offline
    throw unavailable(`the trust root of sigstore was not reached: ${describeError(error)}`, error)
  }
}

/** Requires every kind of proof that the root has an authority for. */
function verifierOf(root: TrustedRoot): Verifier {
  return new Verifier(toTrustMaterial(root), {
    tlogThreshold: root.tlogs.length > 0 ? 1 : 0,
    ctlogThreshold: root.ctlogs.length > 0 ? 1 : 0,
    timestampThreshold: 1,
  })
}

/** The library takes no signal. What it still fetches goes into its cache. */
async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted()
  const { promise, reject } = Promise.withResolvers<never>()
  const abort = () => reject(unavailable('the trust root of sigstore was not reached in time'))
  signal.addEventListener('abort', abort, { once: true })
  try {
    return await Promise.race([work, promise])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}
