import path from 'node:path'
import type { Backend, Gateway } from '@toolhaven/core/ports/gateway'
import { createGateway } from '@toolhaven/gateway/gateway'
import { childServer, startHttpServer } from '@toolhaven/testing/mcp-servers/child-channel'
import type { SuiteRun } from './suites.ts'

/** How the suite reaches the fixture: by itself, or through the gateway with one of the transports behind. */
export const WAYS = ['direct', 'stdio', 'sse', 'streamable-http'] as const
export type Way = (typeof WAYS)[number]

export interface Target extends AsyncDisposable {
  url: string
}

const NAME = 'conformance'
const never = new AbortController().signal

export async function startTarget(revision: SuiteRun['revision'], way: Way): Promise<Target> {
  // The newest revision has no such transport: its clients meet a server of the older era there.
  const isStateless = revision === '2026-07-28' && way !== 'sse'
  const file = path.join(import.meta.dirname, isStateless ? 'stateless-fixture.ts' : 'session-fixture.ts')
  if (way === 'direct') {
    const server = await startHttpServer('streamable-http', [], file)
    return { url: server.url, [Symbol.asyncDispose]: () => server.kill() }
  }
  const { origin, [Symbol.asyncDispose]: end } = await startProxied(file, way)
  return { url: `${origin}/mcp`, [Symbol.asyncDispose]: end }
}

/** A gateway with the server of this file behind it. */
export async function startProxied(
  file: string,
  way: Exclude<Way, 'direct'>,
): Promise<AsyncDisposable & { origin: string }> {
  const { backend, kill } = way === 'stdio' ? pipe(file) : await listening(file, way)
  const gateway = quietGateway()
  const port = await openAnywhere(gateway)
  await gateway.connect(NAME, backend, never)
  return {
    origin: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      await gateway.shutdown(0)
      await kill()
    },
  }
}

interface Behind {
  backend: Backend
  kill: () => Promise<void>
}

function pipe(file: string): Behind {
  const { channel, start, kill } = childServer([], {}, file)
  return { backend: { kind: 'stdio', channel, start, processId: NAME }, kill }
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
    limits: { probeMs: 60_000 },
  })
}

/** The port is another's by the time it is opened, now and then. */
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
