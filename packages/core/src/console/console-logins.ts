import { describeError, ThvError, notFound, unavailable } from '../errors.ts'
import type { Clock } from '../ports/clock.ts'
import type { RecordStore, StoredConsoleLogin } from '../ports/stores.ts'

export interface ConsoleLoginsDeps {
  store: RecordStore<StoredConsoleLogin>
  clock: Clock
  /** The token of the API. Without it, everyone who reaches the API may use it. */
  token?: string
}

/** What a browser holds: the cookie, which no script can read, and a token that only the page itself gets. */
export interface Admission {
  cookie: string
  pageToken: string
  expiresAt: string
}

const CODE_MS = 60_000
const LOGIN_MS = 30 * 24 * 60 * 60 * 1000
/** More are never needed. Beyond these limits, the oldest are dropped. */
const MOST_CODES = 20
const MOST_LOGINS = 100

/** The browsers that are logged in to the console. Stores only hashes of what a browser holds. */
export class ConsoleLogins {
  readonly #deps: ConsoleLoginsDeps
  /** Expiry, by hash of the code. */
  readonly #codes = new Map<string, number>()
  readonly #logins = new Map<string, StoredConsoleLogin>()
  /** By ID of the login. Aborting ends its open requests. */
  readonly #ends = new Map<string, AbortController>()
  /** Ended logins that could not be deleted from the disk and would work again after a restart. */
  readonly #unremoved = new Set<string>()
  /** Counts how often all logins were ended at once. */
  #clearings = 0

  constructor(deps: ConsoleLoginsDeps) {
    this.#deps = deps
  }

  get isNeeded(): boolean {
    return this.#deps.token !== undefined
  }

  async load(): Promise<void> {
    for (const login of await this.#deps.store.load()) this.#logins.set(login.name, login)
    const expired = [...this.#logins.values()].filter((login) => !this.#isRunning(login))
    // An expired login that stays on the disk is useless; the next start tries to delete it again.
    await this.#endAll(expired.map(({ name }) => name))
  }

  /** A code that logs one browser in. */
  async makeCode(): Promise<{ code: string; expiresAt: string }> {
    const code = randomText()
    const ends = this.#deps.clock.now() + CODE_MS
    this.#codes.set(await hashOf('code', code), ends)
    for (const oldest of this.#codes.keys()) {
      if (this.#codes.size <= MOST_CODES) break
      this.#codes.delete(oldest)
    }
    return { code, expiresAt: timeOf(ends) }
  }

  async enterWithCode(code: string): Promise<Admission> {
    const hash = await hashOf('code', code)
    const ends = this.#codes.get(hash)
    // Whatever happens next, the code does not work again.
    this.#codes.delete(hash)
    if (ends === undefined || ends <= this.#deps.clock.now())
      throw forbidden('this link was already used or is older than 60 seconds; run "thv ui" for a new one')
    return this.#admit()
  }

  async enterWithToken(given: string): Promise<Admission> {
    const { token } = this.#deps
    if (token === undefined || (await hashOf('key', given)) !== (await hashOf('key', token)))
      throw forbidden('this is not the token of the API (THV_API_TOKEN); "thv ui" makes a link that needs none')
    return this.#admit()
  }

  /** The token for the page of this browser. Undefined if it is not logged in. */
  async pageOf(cookie: string): Promise<Pick<Admission, 'pageToken' | 'expiresAt'> | undefined> {
    const login = await this.#find(cookie)
    return login && { pageToken: await hashOf('page', cookie), expiresAt: login.expiresAt }
  }

  async isAdmitted(cookie: string, pageToken: string): Promise<boolean> {
    if ((await hashOf('page', cookie)) !== pageToken) return false
    return (await this.#find(cookie)) !== undefined
  }

  /** Aborted when the login is revoked: what was opened with it must end. */
  async endOf(cookie: string): Promise<AbortSignal | undefined> {
    const login = await this.#find(cookie)
    if (!login) return undefined
    const end = this.#ends.get(login.name) ?? new AbortController()
    this.#ends.set(login.name, end)
    return end.signal
  }

  list(): StoredConsoleLogin[] {
    return [...this.#logins.values()]
      .filter((login) => this.#isRunning(login))
      .toSorted((a, b) => (a.createdAt < b.createdAt ? -1 : 1))
  }

  async leave(cookie: string): Promise<void> {
    const login = await this.#find(cookie)
    if (login) await this.#end(login.name)
  }

  async revoke(id: string): Promise<void> {
    if (!this.#logins.has(id) && !this.#unremoved.has(id))
      throw notFound('there is no login with this ID; it may have ended')
    await this.#end(id)
  }

  async revokeAll(): Promise<void> {
    this.#codes.clear()
    this.#clearings += 1
    const names = new Set([...this.#logins.keys(), ...this.#unremoved])
    const failures = await this.#endAll([...names])
    if (failures.length > 0)
      throw unavailable(
        `${failures.length} of ${names.size} logins could not be removed from the disk and would work again after a restart: ${describeError(failures[0])}; fix this and log out again`,
        failures[0],
      )
  }

  async #admit(): Promise<Admission> {
    const clearings = this.#clearings
    const cookie = randomText()
    const now = this.#deps.clock.now()
    const login: StoredConsoleLogin = {
      name: (await hashOf('name', cookie)).slice(0, 12).toLowerCase(),
      hash: await hashOf('cookie', cookie),
      keyHash: await this.#keyHash(),
      createdAt: timeOf(now),
      expiresAt: timeOf(now + LOGIN_MS),
    }
    await this.#deps.store.save(login)
    if (this.#clearings !== clearings) {
      await this.#end(login.name)
      throw forbidden('all browsers were logged out while this one logged in; log in again')
    }
    this.#logins.set(login.name, login)
    const oldest = this.list().slice(0, -MOST_LOGINS)
    await this.#endAll(oldest.map(({ name }) => name))
    return { cookie, pageToken: await hashOf('page', cookie), expiresAt: login.expiresAt }
  }

  async #find(cookie: string): Promise<StoredConsoleLogin | undefined> {
    const login = this.#logins.get((await hashOf('name', cookie)).slice(0, 12).toLowerCase())
    if (!login || !this.#isRunning(login) || login.hash !== (await hashOf('cookie', cookie))) return undefined
    // A new API token ends the logins made with the previous one.
    return login.keyHash === (await this.#keyHash()) ? login : undefined
  }

  #isRunning({ expiresAt }: StoredConsoleLogin): boolean {
    return Date.parse(expiresAt) > this.#deps.clock.now()
  }

  async #end(name: string): Promise<void> {
    const [failure] = await this.#endAll([name])
    if (failure !== undefined) throw failure
  }

  /** Returns why some could not be removed from the disk. This daemon accepts none of them any more. */
  async #endAll(names: readonly string[]): Promise<Error[]> {
    for (const name of names) {
      this.#logins.delete(name)
      this.#ends.get(name)?.abort()
      this.#ends.delete(name)
    }
    const failures = names.map(async (name) => {
      try {
        await this.#deps.store.remove(name)
        this.#unremoved.delete(name)
        return undefined
      } catch (error) {
        this.#unremoved.add(name)
        return error instanceof Error ? error : new Error(String(error))
      }
    })
    return (await Promise.all(failures)).filter((failure) => failure !== undefined)
  }

  async #keyHash(): Promise<string> {
    return hashOf('key', this.#deps.token ?? '')
  }
}

const forbidden = (message: string) => new ThvError('forbidden', message)

const timeOf = (ms: number) => new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z')

/** 256 random bits. */
function randomText(): string {
  return hex(crypto.getRandomValues(new Uint8Array(32)))
}

/** The purpose is part of the hash, so texts for different purposes never match. Comparing hashes leaks nothing about the texts. */
async function hashOf(purpose: 'code' | 'cookie' | 'page' | 'key' | 'name', text: string): Promise<string> {
  return hex(new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(`${purpose}:${text}`))))
}

function hex(bytes: Uint8Array): string {
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}
