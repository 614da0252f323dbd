import { decodeProtectedHeader, errors, jwtVerify } from 'jose'
import { callerOf } from './caller.ts'
import { fewAtATime } from './few-at-a-time.ts'
import type { IdentityFetch } from './identity-fetch.ts'
import { introspect } from './introspection.ts'
import { createKeySet } from './key-set.ts'
import { KnownTokens, type Verdict } from './known-tokens.ts'
import { EXPIRED, ProviderUnavailable, TokenRefused } from './token-problem.ts'

export interface TokenCheckOptions {
  fetch: IdentityFetch
  issuer?: string | undefined
  jwksUrl?: string | undefined
  introspectionUrl?: string | undefined
  clientId?: string | undefined
  clientSecret?: string | undefined
  /** A token must be for one of them. */
  audiences: readonly string[]
  times?: Partial<TokenTimes>
}

export interface TokenTimes {
  /** Maximum difference between the clocks of a provider and of this machine. */
  skewMs: number
  keyCooldownMs: number
  keyMaxAgeMs: number
  /** How long a verified signed token is trusted without another look at the keys, but never past its expiry. */
  signedMs: number
  /** The same for an introspected token: how late a revocation may be noticed. */
  introspectedMs: number
  /**
   * How long a refused token stays refused without another check, so that nobody can flood the provider with requests.
   */
  refusedMs: number
}

const TIMES: TokenTimes = {
  skewMs: 30_000,
  keyCooldownMs: 30_000,
  keyMaxAgeMs: 600_000,
  signedMs: 300_000,
  introspectedMs: 30_000,
  refusedMs: 10_000,
}

/** Only signatures with a key pair: with a shared secret, a public key could be used as the secret. */
const ALGORITHMS = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
]

const MAX_TOKENS = 10_000

export interface Bearer {
  /** The address that the token came from. */
  from: string
  /** Default: true when the token was valid before. */
  isUrgent?: boolean
}

export interface TokenCheck {
  /**
   * Synchronous for a token that was checked before. `key` is the hash of the token. Rejects with ProviderUnavailable.
   * For an urgent token that never happens merely because others wait.
   */
  (token: string, key: string, bearer: Bearer): Verdict | Promise<Verdict>
  /** Whether the provider has to be asked about a token that was never valid. */
  isUnknown(token: string, key: string): boolean
}

/** Finds out who the bearer of a token is, or why they are refused. */
export function createTokenCheck(options: TokenCheckOptions): TokenCheck {
  const times = { ...TIMES, ...options.times }
  const known = new KnownTokens(MAX_TOKENS)
  const signed = signedCheck(options, times)
  const opaque = opaqueCheck(options, times)
  const inTurn = fewAtATime()
  const check = (token: string, isUrgent: boolean, from: string) =>
    isSigned(token) ? signed(token) : inTurn({ run: () => opaque(token), isUrgent, from })
  const verdictOf = (token: string, key: string, { from, isUrgent = known.wasGood(key) }: Bearer) =>
    known.get(key, Date.now()) ?? known.check(key, () => decide(() => check(token, isUrgent, from), times))
  return Object.assign(verdictOf, {
    isUnknown: (token: string, key: string) =>
      known.get(key, Date.now()) === undefined && !known.wasGood(key) && !isSigned(token),
  })
}

type Check = (token: string) => Promise<{ verdict: Verdict; until: number }>

function signedCheck(options: TokenCheckOptions, times: TokenTimes): Check {
  const { issuer, jwksUrl, audiences } = options
  const keys = createKeySet({ ...options, cooldownMs: times.keyCooldownMs, maxAgeMs: times.keyMaxAgeMs })
  return async (token) => {
    if (issuer === undefined && jwksUrl === undefined) throw new TokenRefused('signed tokens are not accepted here')
    const { payload } = await jwtVerify(token, keys, {
      algorithms: ALGORITHMS,
      audience: [...audiences],
      ...(issuer !== undefined && { issuer }),
      clockTolerance: times.skewMs / 1000,
      requiredClaims: ['exp'],
    })
    const expiresAt = (payload.exp ?? 0) * 1000 + times.skewMs
    return {
      verdict: { caller: callerOf(payload, expiresAt) },
      until: Math.min(expiresAt, Date.now() + times.signedMs),
    }
  }
}

function opaqueCheck(options: TokenCheckOptions, times: TokenTimes): Check {
  const { introspectionUrl: url } = options
  return async (token) => {
    if (url === undefined) throw new TokenRefused('the token is not signed')
    const claims = await introspect({ ...options, url, skewMs: times.skewMs }, token)
    const end = typeof claims['exp'] === 'number' ? claims['exp'] * 1000 + times.skewMs : Infinity
    const until = Math.min(end, Date.now() + times.introspectedMs)
    return { verdict: { caller: callerOf(claims, end) }, until }
  }
}

async function decide(check: () => ReturnType<Check>, times: TokenTimes): ReturnType<Check> {
  try {
    return await check()
  } catch (error) {
    if (isOfProvider(error)) throw new ProviderUnavailable(error.message, { cause: error })
    const refused = reasonOf(error)
    return { verdict: { refused, hasExpired: refused === EXPIRED }, until: Date.now() + times.refusedMs }
  }
}

function isSigned(token: string): boolean {
  try {
    return token.split('.').length === 3 && decodeProtectedHeader(token).alg !== undefined
  } catch {
    return false // opaque: only the provider knows what it means
  }
}

/** The library throws these when the keys, not the token, are the problem. */
function isOfProvider(error: unknown): error is Error {
  const isKeyTrouble =
    error instanceof errors.JWKSInvalid ||
    error instanceof errors.JWKSTimeout ||
    (error instanceof errors.JOSEError && error.code === 'ERR_JOSE_GENERIC')
  return error instanceof ProviderUnavailable || isKeyTrouble
}

function reasonOf(error: unknown): string {
  if (error instanceof TokenRefused) return error.message
  if (error instanceof errors.JWTExpired) return EXPIRED
  if (error instanceof errors.JWTClaimValidationFailed) {
    if (error.claim === 'aud') return 'the token is for another audience'
    if (error.claim === 'iss') return 'the token is from another issuer'
    if (error.claim === 'nbf') return 'the token is not valid yet'
    return 'the token lacks what it must say'
  }
  if (error instanceof errors.JWKSNoMatchingKey) return 'the token is signed with a key that the issuer does not have'
  return 'the token is not valid'
}
