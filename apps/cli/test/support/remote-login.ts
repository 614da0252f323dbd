import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { GatewayEvents, LoginSpec } from '@toolhaven/core/ports/gateway'
import { NeedsLogin } from '@toolhaven/core/workloads/needs-login'
import { createLogins } from '@toolhaven/gateway/logins'
import { NAME, startGateway, type TestGateway } from '@toolhaven/gateway/testing/gateway'
import { createLoginStore } from '@toolhaven/stores/logins/login-store'
import { createGuardedFetch } from '@toolhaven/stores/net/guarded-fetch'
import { silentLogger } from '@toolhaven/fakes/memory-stores'
import {
  startLoginProvider,
  type LoginProvider,
  type LoginProviderOptions,
} from '@toolhaven/testing/testbed/login-provider'
import { startProtectedServer, type ProtectedServer } from '@toolhaven/testing/testbed/protected-server'
import { createPeerCheck } from '../../src/daemon/peer-user.ts'

/** A provider, a server that asks for its tokens, and a gateway in front: all real, and put together as the daemon does. */
export interface LoginBed extends AsyncDisposable {
  provider: LoginProvider
  server: ProtectedServer
  test: TestGateway
  stateDir: string
  /** Said by the gateway, oldest first: addresses to log in at, and 'done'. */
  said: string[]
  /** Undefined when it is connected; the address when a person must log in. */
  connect: (login?: LoginSpec, url?: string) => Promise<string | undefined>
  /** What is kept of the login, opened. */
  kept: () => Promise<Record<string, unknown> | undefined>
  /** Another daemon on the same state. */
  restart: () => Promise<void>
}

const LIMITS = { maxBytes: 64 * 1024, timeoutMs: 5_000 }

export async function startLoginBed(
  transport: 'sse' | 'streamable-http' = 'streamable-http',
  options: LoginProviderOptions = {},
): Promise<LoginBed> {
  const provider = await startLoginProvider(options)
  const server = await startProtectedServer(provider, transport)
  const stateDir = await mkdtemp(join(tmpdir(), 'thv-login-'))
  const said: string[] = []
  const fetches = {
    open: createGuardedFetch({ ...LIMITS, allowPrivate: true }),
    strict: createGuardedFetch({ ...LIMITS, allowPrivate: false }),
  }
  const store = () => createLoginStore({ stateDir, env: {}, logger: silentLogger })
  const allowPeer = createPeerCheck(process.platform, process.getuid?.() ?? 0)
  const start = async () => {
    const events: Pick<GatewayEvents, 'onLoginNeeded' | 'onLoggedIn'> = {
      onLoginNeeded: (_name, { url }) => said.push(url),
      onLoggedIn: () => said.push('done'),
    }
    const fetchFor = (allowPrivate: boolean) => (allowPrivate ? fetches.open : fetches.strict)
    const started = await startGateway({
      logins: createLogins({ store: store(), fetchFor, events, logger: silentLogger, allowPeer }),
    })
    await started.open({ transport })
    return started
  }
  const bed = {
    provider,
    server,
    stateDir,
    said,
    test: await start(),
    async connect(login: LoginSpec = {}, url = server.url) {
      // The provider has another port than the server, so the user must have confirmed it.
      const confirmed = { allowPrivateIp: true, ...login }
      const backend = { kind: 'http', transport, url, login: confirmed, processId: url } as const
      try {
        await bed.test.gateway.connect(NAME, backend, AbortSignal.timeout(20_000))
        return undefined
      } catch (error) {
        if (error instanceof NeedsLogin) return error.url
        throw error
      }
    },
    async kept() {
      const text = await store().get(NAME)
      return text === undefined ? undefined : JSON.parse(text)
    },
    async restart() {
      await bed.test[Symbol.asyncDispose]()
      bed.test = await start()
    },
    async [Symbol.asyncDispose]() {
      await bed.test[Symbol.asyncDispose]()
      await server[Symbol.asyncDispose]()
      await provider[Symbol.asyncDispose]()
      await Promise.all(Object.values(fetches).map((each) => each[Symbol.asyncDispose]()))
      await rm(stateDir, { recursive: true })
    },
  }
  return bed
}
