import { calculatePKCECodeChallenge, generateRandomCodeVerifier, generateRandomState } from 'oauth4webapi'
import type { LoginSpec } from '@toolhaven/core/ports/gateway'
import type { Logger } from '@toolhaven/core/ports/logger'
import { describeError, isThvError, unavailable } from '@toolhaven/core/errors'
import { NeedsLogin } from '@toolhaven/core/workloads/needs-login'
import type { Authorizer } from '../http/client/authorizer.ts'
import { authorizationUrl } from './authorization-url.ts'
import type { CallbackListeners, CallbackOutcome } from './callback-listener.ts'
import { parseChallenge } from './challenge.ts'
import { chooseClient } from './client.ts'
import { discover, type Discovered } from './discover.ts'
import { isPrivateHost, type LoginFetch, loginFetch } from './login-fetch.ts'
import { parseLoginRecord, type LoginClient, type LoginRecord, type LoginStore, type Tokens } from './login-record.ts'
import { exchangeCode, refreshTokens, type CodeExchange } from './token-requests.ts'

export interface LoginOptions {
  name: string
  url: URL
  spec: LoginSpec
  fetchFor: (allowPrivate: boolean, caCertificate?: string) => LoginFetch
  ownAddresses: () => readonly string[]
  store: LoginStore
  callbacks: CallbackListeners
  logger: Logger
  onNeeded: (needed: NeedsLogin) => void
  onDone: () => void
}

interface Pending extends CodeExchange {
  port: number
  needed: NeedsLogin
  /** The current login stays usable for what it allows. */
  isForMore: boolean
}

/** What to ask for beyond what the login has. */
type More = readonly string[] | undefined

interface Asking {
  found: Discovered
  client: LoginClient
  port: number
  more: More
  lastFailure?: string
}

/** Renewed this long before they end, so that no call meets the end while it is on its way. */
const MARGIN_MS = 60_000

/** One workload's login at its remote server: the tokens, their renewal, and the person it waits for. */
export class Login implements Authorizer {
  readonly #options: LoginOptions
  readonly #basis: string
  readonly #context: { spec: LoginSpec; fetch: LoginFetch; allowPrivate: boolean }
  #loading: Promise<void> | undefined
  #record: LoginRecord | undefined
  #refreshing: Promise<void> | undefined
  #beginning: Promise<NeedsLogin> | undefined
  #pending: Pending | undefined
  #isClosed = false

  constructor(options: LoginOptions) {
    this.#options = options
    const { url, spec } = options
    const { issuer, authorizeUrl, tokenUrl, clientId, scopes = [] } = spec
    this.#basis = JSON.stringify([url.href, issuer, authorizeUrl, tokenUrl, clientId, scopes])
    const allowPrivate = spec.allowPrivateIp === true || isPrivateHost(url, options.ownAddresses())
    this.#context = { spec, fetch: loginFetch(options), allowPrivate }
  }

  /** The header for a request now. Undefined until the server has asked for a token. */
  async header(): Promise<string | undefined> {
    await (this.#loading ??= this.#load())
    if (this.#pending?.isForMore === false) throw this.#pending.needed
    const tokens = this.#record?.tokens
    if (tokens?.expiresAt !== undefined && tokens.expiresAt - Date.now() < this.#margin(tokens)) {
      if (tokens.refresh !== undefined) await this.#renew(tokens)
      else if (tokens.expiresAt <= Date.now()) throw await this.#begin(undefined)
    }
    return this.#bearer()
  }

  /**
   * The server refused `used`: returns another header to try once, or throws the error that says that a person must log
   * in.
   */
  async renew(used: string | undefined, challenge: string | undefined): Promise<string | undefined> {
    if (used !== undefined && this.#bearer() !== undefined && this.#bearer() !== used) return this.#bearer()
    const tokens = this.#record?.tokens
    if (used === undefined || tokens?.refresh === undefined) throw await this.#begin(challenge)
    await this.#renew(tokens, challenge)
    return this.#bearer()
  }

  async refused(challenge: string | undefined): Promise<NeedsLogin> {
    return this.#begin(challenge)
  }

  /** Asks for more only once: another login will not change a server that still forbids the request. */
  async forbidden(header: string | undefined): Promise<Error | undefined> {
    const { error, scope = '' } = parseChallenge(header)
    const { name, spec } = this.#options
    const had = spec.scopes?.length ? spec.scopes : (this.#record?.scopes ?? [])
    const more = scope.split(' ').filter((each) => each !== '' && !had.includes(each))
    if (error !== 'insufficient_scope' || more.length === 0 || this.#bearer() === undefined) return undefined
    if (!spec.scopes?.length) return this.#begin(header, more)
    const missing = more.map((each) => `"${each}"`).join(', ')
    return unavailable(`The server ${name} wants scopes for this that its oauth_config leaves out: ${missing}.`)
  }

  /** Stops waiting for a person and keeps the tokens. */
  async close(): Promise<void> {
    this.#isClosed = true
    const pending = this.#pending
    this.#pending = undefined
    if (pending !== undefined) await this.#options.callbacks.release(pending.port, pending.state)
  }

  async #load(): Promise<void> {
    const { store, name } = this.#options
    try {
      this.#record = parseLoginRecord(await store.get(name), this.#basis)
    } catch (error) {
      // A keyring that is locked now may be open next time: that is better than to ask for a login that exists.
      this.#loading = undefined
      throw unavailable(`the login of ${name} cannot be read: ${describeError(error)}`, error)
    }
  }

  #bearer(): string | undefined {
    const access = this.#record?.tokens?.access
    return access === undefined ? undefined : `Bearer ${access}`
  }

  /** Tokens with a short life are not renewed at every call. */
  #margin({ lifetime = MARGIN_MS * 10 }: Tokens): number {
    return Math.min(MARGIN_MS, lifetime / 10)
  }

  /** One request for all calls that wait. */
  #renew(old: Tokens, challenge?: string): Promise<void> {
    this.#refreshing ??= this.#refresh(old, challenge).finally(() => {
      this.#refreshing = undefined
    })
    return this.#refreshing
  }

  async #refresh(old: Tokens, challenge: string | undefined): Promise<void> {
    const record = this.#record
    if (record === undefined || old.refresh === undefined || record.tokens?.access !== old.access) return
    let tokens: Tokens | undefined
    try {
      tokens = await refreshTokens(this.#context, record, old.refresh)
    } catch (error) {
      const isStillGood = challenge === undefined && (old.expiresAt ?? Infinity) > Date.now()
      if (isStillGood) return
      throw unavailable(`the login at the server could not be renewed: ${describeError(error)}`, error)
    }
    if (tokens === undefined) throw await this.#begin(challenge)
    await this.#keep({ ...record, tokens })
  }

  async #keep(record: LoginRecord): Promise<void> {
    this.#record = record
    const { store, name, logger } = this.#options
    try {
      await store.set(name, JSON.stringify(record))
    } catch (error) {
      // The login works as long as the daemon runs. Only the next daemon will ask for it again.
      logger.error('a login could not be stored', { workload: name, error: describeError(error) })
    }
  }

  /** Starts to wait for a person, once, however many calls need the login. */
  async #begin(challenge: string | undefined, more?: More): Promise<NeedsLogin> {
    if (this.#pending !== undefined) {
      // Without a valid token nothing works until somebody has logged in.
      if (more === undefined) this.#pending.isForMore = false
      return this.#pending.needed
    }
    this.#beginning ??= this.#prepare(challenge, more).finally(() => {
      this.#beginning = undefined
    })
    return this.#beginning
  }

  async #prepare(header: string | undefined, more: More): Promise<NeedsLogin> {
    const { url, name, spec } = this.#options
    try {
      const asked = parseChallenge(header)
      const all = more === undefined ? asked.scope : [...(this.#record?.scopes ?? []), ...more].join(' ')
      const challenge = { ...asked, ...(all !== undefined && { scope: all }) }
      const found = await discover({ url, challenge, ...this.#context })
      const known = this.#record?.issuer === found.server.issuer ? this.#record.client : undefined
      const { redirectUri, port } = await this.#openCallback(known)
      // A registration is valid for the address and the scopes it was made with.
      const isSame = known?.redirectUri === redirectUri && more === undefined
      const client =
        known?.isRegistered && isSame && !spec.clientId
          ? known
          : await chooseClient({ ...found, redirectUri, ...this.#context })
      return await this.#ask({ found, client, port, more })
    } catch (error) {
      throw unavailable(`the server ${name} asks for a login that cannot be made: ${describeError(error)}`, error)
    }
  }

  async #openCallback(known: LoginClient | undefined): Promise<{ redirectUri: string; port: number }> {
    const { callbacks, spec } = this.#options
    if (spec.callbackPort !== undefined) return callbacks.open(spec.callbackPort)
    const before = known === undefined ? undefined : Number(new URL(known.redirectUri).port)
    try {
      return await callbacks.open(before)
    } catch (error) {
      if (before === undefined || !isThvError(error, 'conflict')) throw error
      return callbacks.open(undefined)
    }
  }

  async #ask(asking: Asking) {
    const { callbacks, name, spec, onNeeded } = this.#options
    const { found, client, port, more, lastFailure } = asking
    const { server, resource, scopes } = found
    const [state, verifier] = [generateRandomState(), generateRandomCodeVerifier()]
    const challenge = await calculatePKCECodeChallenge(verifier)
    const address = authorizationUrl({ server, client, resource, scopes, state, challenge, params: spec.params })
    const needed = new NeedsLogin(name, address, { lastFailure, more })
    const isForMore = more !== undefined
    const pending: Pending = { server, client, resource, state, verifier, port, needed, isForMore }
    if (this.#isClosed) {
      await callbacks.release(port, undefined)
      throw unavailable('it is being stopped')
    }
    this.#pending = pending
    await callbacks.wait(port, state, (params) => this.#finish(pending, asking, params))
    onNeeded(needed)
    return needed
  }

  async #finish(pending: Pending, asking: Asking, params: URLSearchParams): Promise<CallbackOutcome> {
    const { callbacks, onDone, logger, name } = this.#options
    const { server, client, resource, port } = pending
    try {
      const tokens = await exchangeCode(this.#context, pending, params)
      if (this.#pending !== pending) return { ok: false, message: 'it is no longer waited for' }
      const { issuer, token_endpoint: tokenEndpoint = '' } = server
      const { scopes } = asking.found
      await this.#keep({ basis: this.#basis, issuer, tokenEndpoint, resource, client, scopes, tokens })
      this.#pending = undefined
      void callbacks.release(port, pending.state)
      onDone()
      return { ok: true }
    } catch (error) {
      const message = failureOf(error)
      logger.warn('a login failed', { workload: name, error: message })
      const more = pending.isForMore ? asking.more : undefined
      if (this.#pending === pending) await this.#ask({ ...asking, more, lastFailure: message })
      return { ok: false, message }
    }
  }
}

/** Text for a person to read: short and printable, because a stranger may have chosen the words. */
function failureOf(error: unknown): string {
  const said = isAuthorizationError(error) ? (error.error_description ?? error.error) : describeError(error)
  return said.replaceAll(/[^\x20-\x7e]/g, ' ').slice(0, 200)
}

function isAuthorizationError(error: unknown): error is Error & { error: string; error_description?: string } {
  return error instanceof Error && 'error' in error && typeof error.error === 'string'
}
