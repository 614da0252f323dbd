import path from 'node:path'
import type { Backend, Gateway, Handshake } from '@toolhaven/core/ports/gateway'
import { createGateway } from '@toolhaven/gateway'
import { childServer, startHttpServer, type ChildServer } from '@toolhaven/testing/mcp-servers/child-channel'
import type { SuiteRun } from './suites.ts'

/**
 * How the suite reaches the fixture: directly, or through the gateway with one of the transports behind it.
 * `older-era`: a server with sessions gets the tests of the newest revision, which only the gateway makes possible.
 */
export const WAYS = ['direct', 'stdio', 'sse', 'streamable-http', 'older-era'] as const
export type Way = (typeof WAYS)[number]

export interface Target extends AsyncDisposable {
  url: string
}

const NAME = 'conformance'
const never = new AbortController().signal

/** `args` are for the fixture. */
export async function startTarget(
  revision: SuiteRun['revision'],
  way: Way,
  args: readonly string[] = [],
): Promise<Target> {
  const isStateless = revision === '2026-07-28' && way !== 'older-era'
  const file = path.join(import.meta.dirname, isStateless ? 'stateless-fixture.ts' : 'session-fixture.ts')
  if (way === 'direct') {
    const server = await startHttpServer('streamable-http', args, file)
    return { url: server.url, [Symbol.asyncDispose]: () => server.kill() }
  }
  const { origin, [Symbol.asyncDispose]: end } = await startProxied(file, way === 'older-era' ? 'sse' : way)
  return { url: `${origin}/mcp`, [Symbol.asyncDispose]: end }
}

/** A gateway with the server of this file behind it. */
export async function startProxied(file: string, way: 'stdio' | 'sse' | 'streamable-http'): Promise<Proxied> {
  return proxy(way === 'stdio' ? pipe(() => childServer([], {}, file)) : await listening(file, way))
}

export interface Proxied extends AsyncDisposable {
  origin: string
  handshake: Handshake
}

/** A gateway with this server behind it; both end together. */
export async function proxy({ backend, kill }: Behind): Promise<Proxied> {
  const gateway = quietGateway()
  const port = await openAnywhere(gateway)
  const end = async () => {
    await gateway.shutdown(0)
    await kill()
  }
  try {
    const handshake = await gateway.connect(NAME, backend, never)
    return { origin: `http://127.0.0.1:${port}`, handshake, [Symbol.asyncDispose]: end }
  } catch (error) {
    await end()
    throw error
  }
}

export interface Behind {
  backend: Backend
  kill: () => Promise<void>
}

/**
 * Like a workload whose server is known to ask its clients. Scenarios follow one another as different clients, and the
 * first question of a process that several clients have just used would be refused.
 */
export function pipe(make: () => ChildServer): Behind {
  const children = new Set<ChildServer>()
  const another = () => {
    const child = make()
    children.add(child)
    const server = { kind: 'stdio', channel: child.channel, start: child.start, processId: NAME } as const
    const end = async () => {
      children.delete(child)
      await child.kill()
    }
    return { tag: String(children.size), server, end }
  }
  const first = another()
  return {
    backend: {
      ...{ kind: 'auto', needsOwn: true, own: { maxSessions: 100, idleMs: 60_000 } },
      ...{ first: first.server, claimFirst: () => first.end, startAnother: async () => another() },
    },
    kill: async () => {
      await Promise.all([...children].map((child) => child.kill()))
    },
  }
}

async function listening(file: string, transport: 'sse' | 'streamable-http'): Promise<Behind> {
  const { url, kill } = await startHttpServer(transport, [], file)
  return { backend: { kind: 'http', transport, url, processId: NAME }, kill }
}

function quietGateway(): Gateway {
  const quiet = () => {}
  return createGateway({
    logger: { debug: quiet, info: quiet, warn: quiet, error: quiet },
    events: { onBackendLost: quiet, onOutput: quiet, onLoginNeeded: quiet, onLoggedIn: quiet },
    // A busy machine must not make a server look like one of the older era.
    limits: { probeMs: 60_000, sseProbeMs: 60_000 },
  })
}

/** Now and then another program has the port by the time it is opened. */
async function openAnywhere(gateway: Gateway): Promise<number> {
  for (let attempt = 0; ; attempt++) {
    const port = 20_000 + Math.floor(Math.random() * 12_000)
    try {
      await gateway.open({
        name: NAME,
        host: '127.0.0.1',
        port,
        transport: 'stdio',
        proxyMode: 'streamable-http',
      })
      return port
    } catch (error) {
      if (attempt === 20) throw error
    }
  }
}
