import type { CreateRequest } from '@toolhaven/contract/workload-request'
import { startHttpServer } from '@toolhaven/testing/mcp-servers/child-channel'
import type { DaemonProcess } from '../daemon-process.ts'
import { type Home, makeHome } from '../home.ts'
import { untilStatus } from '../statuses.ts'
import type { Build } from './build.ts'

/** A daemon, and one workload with a port: a remote server, which starts at once. */
export interface Target extends AsyncDisposable {
  home: Home
  daemon: DaemonProcess
  /** The port of the workload `target`. */
  port: number
  /** Where MCP clients reach the workload. */
  url: string
}

export async function openTarget(build: Build, change: CreateRequest = {}): Promise<Target> {
  await using cleanUp = new AsyncDisposableStack()
  const server = await startHttpServer('streamable-http')
  cleanUp.defer(() => server.kill())
  const home = cleanUp.use(await makeHome({ env: { THV_RUNTIME: 'process' } }))
  const daemon = cleanUp.use(await build.start(home))
  const body: CreateRequest = { name: 'target', url: server.url, transport: 'streamable-http', ...change }
  const { port } = await daemon.api.call('createWorkload', { body })
  await untilStatus(daemon, 'target', 'running')
  const { url } = await daemon.api.call('getWorkload', { params: { name: 'target' } })
  const kept = cleanUp.move()
  return { home, daemon, port, url, [Symbol.asyncDispose]: () => kept.disposeAsync() }
}
