import { randomUUID } from 'node:crypto'
import type { AutoBackend, IsolatedBackend, StdioServer } from '@toolhaven/core/ports/gateway'
import { childServer, type ChildServer } from '@toolhaven/testing/mcp-servers/child-channel'
import { NAME, never, type TestGateway } from './gateway.ts'

/** Replaces a runtime: how many servers were requested, and which of them are still running. */
export interface TestServers<Kind = IsolatedBackend> {
  /** In the order of their starts. The first is the workload's. */
  started: ChildServer[]
  live: Set<ChildServer>
  backend: Kind
}

/** Servers of their own for the sessions of the endpoint, as real processes. */
export async function runIsolated(
  test: TestGateway,
  make: () => ChildServer = () => childServer([]),
): Promise<TestServers> {
  const { servers, ...seen } = startable(test, make)
  const backend: IsolatedBackend = { kind: 'isolated', ...servers }
  await test.gateway.connect(NAME, backend, never)
  return { ...seen, backend }
}

/** One server for all clients, and others as soon as they are needed. */
export async function runAuto(
  test: TestGateway,
  change: Partial<AutoBackend> = {},
  make: () => ChildServer = () => childServer([]),
): Promise<TestServers<AutoBackend>> {
  const { servers, ...seen } = startable(test, make)
  const own = { maxSessions: 200, idleMs: 600_000 }
  const backend: AutoBackend = { kind: 'auto', needsOwn: false, own, ...servers, ...change }
  await test.gateway.connect(NAME, backend, never)
  return { ...seen, backend }
}

function startable(test: TestGateway, make: () => ChildServer) {
  const started: ChildServer[] = []
  const live = new Set<ChildServer>()
  const another = () => {
    const child = make()
    started.push(child)
    live.add(child)
    test.defer(() => child.kill())
    const end = async () => {
      await child.kill()
      live.delete(child)
    }
    const server: StdioServer = {
      kind: 'stdio',
      channel: child.channel,
      // Another run has other processes.
      processId: randomUUID(),
      start: child.start,
    }
    return { tag: `tag${started.length}`, server, end }
  }
  const first = another()
  const servers = { first: first.server, claimFirst: () => first.end, startAnother: async () => another() }
  return { started, live, servers }
}
