import type { IncomingHttpHeaders } from 'node:http'
import type { AuthenticationSpec } from '@toolhaven/core/ports/gateway'
import type { Logger } from '@toolhaven/core/ports/logger'
import { describeError } from '@toolhaven/core/errors'
import type { HttpRequest } from '../../http/server/exchange.ts'
import type { HttpAnswer, HttpRefusal } from '../../http/server/reply.ts'
import type { Callers } from '../../oidc/caller.ts'
import type { IdentityFetch } from '../../oidc/identity-fetch.ts'
import { KnownTokens, type Verdict } from '../../oidc/known-tokens.ts'
import { protectedResource, type ProtectedResource } from '../../oidc/protected-resource.ts'
import { createTokenCheck, type TokenTimes } from '../../oidc/token-check.ts'
import type { Limits } from './limits.ts'
import type { Gate } from './gate.ts'

export interface AuthenticationOptions {
  spec: AuthenticationSpec
  /** The address that clients use when none is configured. */
  origin: string
  fetch: IdentityFetch
  /** Where later gates and decisions find the caller. */
  callers: Callers
  /** Counts refused requests. The answer is for callers that exceed the limit. */
  strangers: Pick<Limits, 'countStranger' | 'uncountStranger'>
  logger: Logger
  times?: Partial<TokenTimes> | undefined
}

/** Used by monitoring. It says nothing about the server or its clients. */
const HEALTH_PATH = '/health'

const NO_PROVIDER: HttpRefusal = {
  status: 503,
  message: 'Tokens cannot be checked now: the identity provider does not answer.',
  headers: { 'retry-after': '30' },
}

/** Nobody without a valid token gets past it, on any path and with any method. */
export function authentication(options: AuthenticationOptions): Gate {
  const { spec, callers, strangers, logger, times } = options
  const resource = protectedResource({ resource: spec.resourceUrl ?? options.origin, issuer: spec.issuer })
  const audiences = spec.audience === undefined ? resource.identifiers : [spec.audience]
  const check = createTokenCheck({ ...spec, fetch: options.fetch, audiences, ...(times && { times }) })

  /** Strangers over the limit also learn where tokens come from: real callers may share their address. */
  const overLimit = (request: HttpRequest, refusal: HttpRefusal): HttpRefusal | undefined => {
    const tooMany = strangers.countStranger(request)
    return tooMany && { ...tooMany, headers: { ...refusal.headers, ...tooMany.headers } }
  }
  const limited = (request: HttpRequest, refusal: HttpRefusal) => overLimit(request, refusal) ?? refusal
  const conclude = (request: HttpRequest, verdict: Verdict): HttpRefusal | undefined => {
    if ('refused' in verdict) {
      const refusal = unauthorized(resource, verdict.refused)
      // A caller with an expired token is not a stranger: if told to wait, it would not renew the token.
      return verdict.hasExpired ? refusal : limited(request, refusal)
    }
    callers.set(request, verdict.caller)
    return undefined
  }
  /**
   * Counted before the provider is asked: clients over the limit must neither reach it nor take a place among those
   * that wait.
   */
  const askAboutStranger = async (request: HttpRequest, asking: Promise<Verdict>): Promise<HttpRefusal | undefined> => {
    try {
      const verdict = await asking
      const isStranger = 'refused' in verdict && !verdict.hasExpired
      if (isStranger) return unauthorized(resource, verdict.refused)
      strangers.uncountStranger(request)
      return conclude(request, verdict)
    } catch (error) {
      return noProvider(error)
    }
  }
  const noProvider = (error: unknown): HttpRefusal => {
    logger.warn('the identity provider cannot be asked about a token', { error: describeError(error) })
    return NO_PROVIDER
  }
  return {
    name: 'authentication',
    admit(request): HttpRefusal | HttpAnswer | undefined | Promise<HttpRefusal | undefined> {
      const [path = ''] = (request.url ?? '').split('?', 1)
      if (path === HEALTH_PATH) return undefined
      const described = resource.describe(request.method ?? '', path)
      if (described !== undefined) return described
      const token = tokenOf(request.headers)
      if (token === undefined) return limited(request, unauthorized(resource))
      const isStranger = check.isUnknown(token.text, token.key)
      const refusal = isStranger ? overLimit(request, unauthorized(resource)) : undefined
      if (refusal !== undefined) return refusal
      const verdict = check(token.text, token.key, { from: addressOf(request) })
      if (isStranger) return askAboutStranger(request, Promise.resolve(verdict))
      if (!(verdict instanceof Promise)) return conclude(request, verdict)
      return verdict.then((checked) => conclude(request, checked), noProvider)
    },
    mayStay(request): boolean | Promise<boolean> {
      const [token, before] = [tokenOf(request.headers), callers.get(request)]
      if (token === undefined || before === undefined) return false
      const isSame = (verdict: Verdict) => !('refused' in verdict) && verdict.caller.id === before.id
      // A stream must not end because many other tokens are checked at the same time.
      const verdict = check(token.text, token.key, { from: addressOf(request), isUrgent: true })
      if (!(verdict instanceof Promise)) return isSame(verdict)
      return verdict.then(isSame, (error: unknown) => noProvider(error) === undefined)
    },
  }
}

function addressOf({ socket }: HttpRequest): string {
  return socket.remoteAddress ?? ''
}

interface Token {
  text: string
  key: string
}

/** Requests of one connection with equal heads share their headers: their token is hashed once. */
const tokens = new WeakMap<IncomingHttpHeaders, Token>()

function tokenOf(headers: IncomingHttpHeaders): Token | undefined {
  const known = tokens.get(headers)
  if (known !== undefined) return known
  const text = bearerToken(headers.authorization)
  if (text === undefined) return undefined
  const token = { text, key: KnownTokens.keyOf(text) }
  tokens.set(headers, token)
  return token
}

/** RFC 6750, section 2.1: the scheme in any case, at least one space, and a token of these characters only. */
function bearerToken(header: string | undefined): string | undefined {
  return /^bearer +([A-Za-z0-9\-._~+/]+=*) *$/i.exec(header ?? '')?.[1]
}

function unauthorized(resource: ProtectedResource, problem?: string): HttpRefusal {
  return {
    status: 401,
    message: problem === undefined ? 'A bearer token is needed.' : `The token is refused: ${problem}.`,
    headers: { 'www-authenticate': resource.challenge(problem) },
  }
}
