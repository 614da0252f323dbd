import { createRemoteJWKSet, customFetch, type RemoteJWKSet } from 'jose'
import { describeError } from '@toolhaven/core/errors'
import { discoverKeysUrl } from './discovery.ts'
import type { IdentityFetch } from './identity-fetch.ts'
import { ProviderUnavailable } from './token-problem.ts'

export interface KeySetOptions {
  fetch: IdentityFetch
  issuer?: string | undefined
  jwksUrl?: string | undefined
  /** Minimum time between two requests for an unknown key or after a failure. */
  cooldownMs: number
  /** Keys are fetched again after this time, so that revoked ones stop working. */
  maxAgeMs: number
}

export type KeySet = (...args: Parameters<RemoteJWKSet>) => ReturnType<RemoteJWKSet>

/** The keys of an issuer: found when first needed, cached, and fetched again for an unknown key. */
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

/** A result is kept for ever. A failure is repeated for a while, instead of asking again for every call. */
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
