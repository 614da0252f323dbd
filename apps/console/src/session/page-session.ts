import * as z from 'zod'

const HEADER = 'x-toolhaven-console'
const ADDRESS = '/api/v1beta/console/session'

const answer = z.object({ login: z.enum(['not-needed', 'needed', 'done']), token: z.string().optional() })

export type LoginProof = { code: string } | { token: string }

/**
 * Whether this page may use the API. A login is a cookie, which no script reads, and a token that only this page gets: a
 * cookie alone would also come with requests of other ports.
 */
export class PageSession {
  #token: string | undefined
  readonly #checked = Promise.withResolvers<void>()

  /** Asks the daemon. A link of `thv ui` logs in with the code in its fragment, which leaves the address at once. */
  async check(signal: AbortSignal): Promise<'open' | 'needed'> {
    try {
      const code = takeCode()
      const response = code === undefined ? await ask(signal) : await prove({ code })
      // A code that is too old may come with a login that still stands.
      return await this.#read(response.ok ? response : await ask(signal))
    } finally {
      this.#checked.resolve()
    }
  }

  async logIn(proof: LoginProof): Promise<void> {
    const response = await prove(proof)
    if (!response.ok) throw new Error((await response.text()).trim())
    await this.#read(response)
  }

  /** Carries the token, once the daemon was asked for it. */
  async admit(request: Request): Promise<Request> {
    await this.#checked.promise
    if (this.#token !== undefined) request.headers.set(HEADER, this.#token)
    return request
  }

  async #read(response: Response): Promise<'open' | 'needed'> {
    // A daemon without such a route asks for no login.
    if (response.status === 404) return 'open'
    const { login, token } = answer.parse(await response.json())
    this.#token = token
    return login === 'needed' ? 'needed' : 'open'
  }
}

function ask(signal: AbortSignal): Promise<Response> {
  return fetch(ADDRESS, { signal })
}

function prove(proof: LoginProof): Promise<Response> {
  const headers = { 'content-type': 'application/json' }
  return fetch(ADDRESS, { method: 'POST', headers, body: JSON.stringify(proof) })
}

function takeCode(): string | undefined {
  const code = /^#login=(.+)$/.exec(location.hash)?.[1]
  if (code !== undefined) history.replaceState(history.state, '', location.pathname + location.search)
  return code
}

export const pageSession = new PageSession()
