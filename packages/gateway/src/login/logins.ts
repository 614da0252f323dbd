import type { Socket } from 'node:net'
import { isDeepStrictEqual } from 'node:util'
import type { Backend, GatewayEvents, LoginSpec } from '@toolhaven/core/ports/gateway'
import type { Logger } from '@toolhaven/core/ports/logger'
import type { Authorizer } from '../http/client/authorizer.ts'
import { CallbackListeners } from './callback-listener.ts'
import type { Login } from './login.ts'
import type { LoginFetch } from './login-fetch.ts'
import type { LoginStore } from './login-record.ts'

export interface LoginsOptions {
  store: LoginStore
  /** Reaches what servers name, on private addresses only if allowed. */
  fetchFor: (allowPrivate: boolean, caCertificate?: string) => LoginFetch
  /** See `Host`. They count as private. */
  ownAddresses?: () => readonly string[]
  events: Pick<GatewayEvents, 'onLoginNeeded' | 'onLoggedIn'>
  logger: Logger
  /** False refuses a browser that comes back from a login. */
  allowPeer: (socket: Socket) => boolean
}

/** The logins of all workloads. */
export interface Logins {
  /** Undefined when the backend needs no login. */
  authorizerOf(name: string, backend: Extract<Backend, { kind: 'http' }>): Promise<Authorizer | undefined>
  /** Stops waiting for a person. */
  close(name: string): Promise<void>
  /** Forgets the tokens as well. */
  forget(name: string): Promise<void>
  closeAll(): Promise<void>
}

export function createLogins(options: LoginsOptions): Logins {
  const { store, fetchFor, ownAddresses = () => [], events, logger, allowPeer } = options
  const known = new Map<string, { url: string; spec: LoginSpec; login: Login }>()
  const callbacks = new CallbackListeners(allowPeer)
  const close = async (name: string) => {
    const found = known.get(name)
    known.delete(name)
    await found?.login.close()
  }
  return {
    async authorizerOf(name, { login: spec, url, headers = {} }) {
      const found = known.get(name)
      // After a reconnect it still waits for the person who was asked before.
      if (found !== undefined && found.url === url && isDeepStrictEqual(found.spec, spec)) return found.login
      await close(name)
      const hasOwn = Object.keys(headers).some((header) => header.toLowerCase() === 'authorization')
      if (spec === undefined || hasOwn) return undefined
      // Loaded with the first remote server: most daemons never need it.
      const { Login } = await import('./login.ts')
      const login = new Login({
        ...{ name, url: new URL(url), spec, fetchFor, ownAddresses, store, callbacks, logger },
        onNeeded: (needed) => events.onLoginNeeded(name, needed),
        onDone: () => events.onLoggedIn(name),
      })
      known.set(name, { url, spec, login })
      return login
    },
    close,
    async forget(name) {
      await close(name)
      await store.delete(name)
    },
    async closeAll() {
      await Promise.all([...known.keys()].map(close))
    },
  }
}
