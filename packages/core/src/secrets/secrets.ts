import { hasNul, NO_HALF_PAIR, NO_NUL } from '@toolhaven/contract/text'
import { conflict, invalid, notFound, unsupported } from '../errors.ts'
import type { Announce } from '../event-bus.ts'
import type { SecretsProvider, SecretsProviders, SecretsProviderType } from '../ports/secrets.ts'
import type { ConfigStore, Journal } from '../ports/stores.ts'
import { compareNames } from '../workloads/running/book.ts'
import type { Masker } from './masker.ts'
import { variableAdvice } from './secret-variable.ts'

export interface SecretsDeps {
  providers: SecretsProviders
  config: ConfigStore
  journal: Journal
  masker: Masker
  announce: Announce
}

/** The secrets provider in use, and the operations on it. */
export class Secrets {
  readonly #deps: SecretsDeps
  #provider: SecretsProvider | undefined
  #lastChange: Promise<unknown> = Promise.resolve()

  constructor(deps: SecretsDeps) {
    this.#deps = deps
  }

  async setUp(type: SecretsProviderType, password: string | undefined) {
    return this.#inTurn(() => this.#setUp(type, password))
  }

  async #setUp(type: SecretsProviderType, password: string | undefined) {
    const { provider, message } = await this.#deps.providers.setUp(type, password)
    await this.#deps.config.update((config) => ({ ...config, secrets: { providerType: type } }))
    this.#provider = provider
    if (password !== undefined) this.#deps.masker.hold('secrets-password', [password])
    this.#deps.announce({ about: 'secret' })
    await this.#deps.journal.append({ actor: 'api', action: 'setup-secrets', target: type })
    return { message, provider_type: type }
  }

  async details() {
    const { type, capabilities } = await this.#open()
    return { name: 'default', provider_type: type, capabilities }
  }

  async list() {
    const provider = await this.#open()
    if (!provider.capabilities.can_list) throw unsupported(`the secrets provider ${provider.type} cannot list secrets`)
    return (await provider.list()).toSorted((a, b) => compareNames(a.key, b.key))
  }

  async create(key: string, value: string) {
    return this.#inTurn(() => this.#create(key, value))
  }

  async #create(key: string, value: string) {
    const provider = await this.#writable(key)
    if ((await provider.get(key)) !== undefined) throw conflict(`secret ${key} already exists; PUT changes it`)
    await this.#set(provider, 'create-secret', key, value)
    return { key, message: `secret ${key} created` }
  }

  async update(key: string, value: string) {
    return this.#inTurn(() => this.#update(key, value))
  }

  async #update(key: string, value: string) {
    const provider = await this.#writable(key)
    if ((await provider.get(key)) === undefined) throw notFound(`secret ${key} not found`)
    await this.#set(provider, 'update-secret', key, value)
    return { key, message: `secret ${key} updated` }
  }

  async delete(key: string): Promise<void> {
    return this.#inTurn(() => this.#delete(key))
  }

  async #delete(key: string): Promise<void> {
    const provider = await this.#open()
    if (!provider.capabilities.can_delete) throw refusal(provider, 'delete', key)
    if (!(await provider.delete(key))) throw notFound(`secret ${key} not found`)
    this.#deps.announce({ about: 'secret', name: key })
    await this.#deps.journal.append({ actor: 'api', action: 'delete-secret', target: key })
  }

  /** Returns the value. Only for the workload that needs it, and for the unix socket. */
  async read(key: string): Promise<string> {
    const provider = await this.#open()
    const value = await provider.get(key)
    if (value === undefined)
      throw notFound(
        `secret ${key} not found${provider.type === 'environment' ? `; ${variableAdvice('set', [key])}` : ''}`,
      )
    checkValue(key, value)
    return value
  }

  /** The error for secrets that do not exist. */
  async missing(keys: readonly string[]): Promise<Error> {
    const { type } = await this.#open()
    return notFound(
      `secret ${keys.join(', ')} not found; ${type === 'environment' ? variableAdvice('set', keys) : 'create it first'}`,
    )
  }

  async has(key: string): Promise<boolean> {
    return (await (await this.#open()).get(key)) !== undefined
  }

  /** Stores a value from a request under a name that we chose, whether or not the name exists. */
  async store(key: string, value: string): Promise<void> {
    await this.#inTurn(async () => this.#set(await this.#writable(key), 'store-secret', key, value))
  }

  /** Throws if `store` would throw. */
  async check(key: string, value: string): Promise<void> {
    await this.#writable(key)
    checkValue(key, value)
  }

  /** One change at a time, so that what a change has read is still true when it writes. */
  async #inTurn<T>(change: () => Promise<T>): Promise<T> {
    const run = this.#lastChange.then(change)
    this.#lastChange = run.catch(() => undefined)
    return run
  }

  async #set(provider: SecretsProvider, action: string, key: string, value: string): Promise<void> {
    checkValue(key, value)
    await provider.set(key, value)
    this.#deps.announce({ about: 'secret', name: key })
    await this.#deps.journal.append({ actor: 'api', action, target: key })
  }

  async #writable(key: string): Promise<SecretsProvider> {
    const provider = await this.#open()
    if (!provider.capabilities.can_write) throw refusal(provider, 'write', key)
    return provider
  }

  async #open(): Promise<SecretsProvider> {
    if (this.#provider) return this.#provider
    const type = this.#deps.config.get().secrets.providerType
    if (!type) throw notFound('no secrets provider is set up; POST /api/v1beta/secrets sets one up')
    this.#provider = await this.#deps.providers.open(type)
    return this.#provider
  }
}

/** Most values reach a program as a variable. A provider may hold a value that cannot be passed that way. */
function checkValue(key: string, value: string): void {
  const problem = hasNul(value) ? NO_NUL : value.isWellFormed() ? undefined : NO_HALF_PAIR
  if (problem !== undefined) throw invalid(`the value of secret ${key} ${problem}; set it again`)
}

function refusal({ type }: SecretsProvider, verb: 'write' | 'delete', key: string): Error {
  const advice = type === 'environment' ? `; ${variableAdvice(verb === 'write' ? 'set' : 'unset', [key])}` : ''
  return unsupported(`the secrets provider ${type} cannot ${verb} secrets${advice}`)
}
