import { ApiError, type CallInput, createApiClient } from '@toolhaven/contract/client'
import { CONSOLE_TOKEN_HEADER } from '@toolhaven/contract/console'
import { askDaemon } from '../ask-daemon.ts'

export type LoginProof = CallInput<'openConsoleSession'>['body']

export type Access = { state: 'open' } | { state: 'locked'; refusal?: string }

/** Needs no login itself. */
const client = createApiClient({ baseUrl: location.origin, fetch: askDaemon })

/** What a link of `thv ui` has in its fragment. */
const CODE = /^#login=(.+)$/

/**
 * Whether this page may use the API. A login is a cookie, which no script reads, and a token that only this page gets: a
 * cookie alone would also come with requests of other ports.
 */
export class PageSession {
  #token: string | undefined
  #code: string | undefined
  readonly #checked = Promise.withResolvers<void>()

  /** Asks the daemon. The code of a link leaves the address at once. */
  async check(signal: AbortSignal): Promise<Access> {
    this.#code = takeCode() ?? this.#code
    try {
      const refusal = this.#code === undefined ? undefined : await this.#useCode(this.#code, signal)
      // A code that is too old may come with a login that still stands.
      const { login, token } = await client.call('getConsoleSession', {}, signal)
      this.#token = token
      if (login !== 'needed') return { state: 'open' }
      return { state: 'locked', ...(refusal !== undefined && { refusal }) }
    } finally {
      this.#checked.resolve()
    }
  }

  async logIn(proof: LoginProof): Promise<void> {
    await client.call('openConsoleSession', { body: proof })
  }

  /** Carries the token, once the daemon was asked for it. */
  async admit(request: Request): Promise<Request> {
    await this.#checked.promise
    if (this.#token !== undefined) request.headers.set(CONSOLE_TOKEN_HEADER, this.#token)
    return request
  }

  /** The address is a link that logs in. */
  isOffered(): boolean {
    return CODE.test(location.hash)
  }

  /** Why it was refused. Without an answer the code is kept for the next try. */
  async #useCode(code: string, signal: AbortSignal): Promise<string | undefined> {
    try {
      await client.call('openConsoleSession', { body: { code } }, signal)
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      this.#code = undefined
      return error.message
    }
    this.#code = undefined
    return undefined
  }
}

function takeCode(): string | undefined {
  const code = CODE.exec(location.hash)?.[1]
  if (code !== undefined) history.replaceState(history.state, '', location.pathname + location.search)
  return code
}

export const pageSession = new PageSession()
