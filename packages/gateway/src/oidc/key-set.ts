import { createRemoteJWKSet, customFetch, type RemoteJWKSet } from 'jose'
import { describeError } from '@toolhaven/core/errors'
import { discoverKeysUrl } from './discovery.ts'
import type { IdentityFetch } from './identity-fetch.ts'
import { ProviderUnavailable } from './token-problem.ts'

export interface KeySetOptions {
  fetch: IdentityFetch
  issuer?: string | undefined
  jwksUrl?: string | undefined
  /** An unknown key, or a provider that failed, is asked about at most so often. */
  cooldownMs: number
  /** Keys are read again after so long, so that those taken back end. */
  maxAgeMs: number
}

export type KeySet = (...args: Parameters<RemoteJWKSet>) => ReturnType<RemoteJWKSet>

/** The keys of an issuer: found when first needed, kept, and read again for a key that is not among them. */
export function createKeySet(options: KeySetOptions): KeySet {
  const found = onceInAWhile(options.cooldownMs, async () => {
    const url = options.jwksUrl ?? (await discoverKeysUrl(options.fetch, options.issuer ?? ''))
    if (!URL.canParse(url)) throw new ProviderUnavailable(`the issuer ${options.issuer} names no address for its keys`)
    return remoteSet(options, new URL(url))
  })
  return async (header, token) => (await found())(header, token)
}

function remoteSet({ fetch, cooldownMs, maxAgeMs }: KeySetOptions, url: URL): RemoteJWKSet {
  const afterFailure = pauseAfterFailure(cooldownMs)
  return createRemoteJWKSet(url, {
    cooldownDuration: cooldownMs,
    cacheMaxAge: maxAgeMs,
    timeoutDuration: 10_000,
    [customFetch]: (address, { headers, signal }) =>
      afterFailure(async () => {
        const response = await fetch(address, { headers, signal })
        if (response.status === 200) return response
        await response.body?.cancel()
        throw new Error(`${url.host} answered with status ${response.status}`)
      }),
  })
}

/** One result for ever; a failure is repeated for a while instead of asking again for every call. */
function onceInAWhile<T>(pauseMs: number, work: () => Promise<T>): () => Promise<T> {
  const afterFailure = pauseAfterFailure(pauseMs)
  let result: Promise<T> | undefined
  return () => {
    result ??= afterFailure(work).catch((error: unknown) => {
      result = undefined
      throw error
    })
    return result
  }
}

function pauseAfterFailure(pauseMs: number): <T>(work: () => Promise<T>) => Promise<T> {
  let failed: { error: ProviderUnavailable; until: number } | undefined
  return async (work) => {
    if (failed !== undefined && Date.now() < failed.until) throw failed.error
    try {
      return await work()
    } catch (cause) {
      const error =
        cause instanceof ProviderUnavailable ? cause : new ProviderUnavailable(describeError(cause), { cause })
      failed = { error, until: Date.now() + pauseMs }
      throw error
    }
  }
}
