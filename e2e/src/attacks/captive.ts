import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { CreateRequest } from '@toolhaven/contract/workload-request'
import type { DaemonProcess } from '../daemon-process.ts'
import type { Home } from '../home.ts'
import { callText, connectMcp, type McpConnection } from '../mcp-client.ts'
import type { Platform } from '../platform.ts'
import { listNames, untilGone, untilStatus } from '../statuses.ts'
import type { Build } from './build.ts'

/** A workload that does what the attacker says, inside its walls. */
export interface Captive extends AsyncDisposable {
  home: Home
  daemon: DaemonProcess
  connection: McpConnection
  /** The output of a program that it starts. `node` is its own. */
  run: (...command: string[]) => Promise<string>
}

export async function openCaptive(build: Build, platform: Platform, body: CreateRequest = {}): Promise<Captive> {
  await using cleanUp = new AsyncDisposableStack()
  const home = cleanUp.use(await platform.makeHome())
  const daemon = cleanUp.use(await build.start(home))
  // Sandboxes end with the daemon. Containers would be in the way of the next one.
  if (platform.engine) cleanUp.defer(() => removeAll(daemon))
  await daemon.api.call('createWorkload', { body: { name: 'captive', image: platform.fixture, ...body } })
  await untilStatus(daemon, 'captive', 'running')
  const { url } = await daemon.api.call('getWorkload', { params: { name: 'captive' } })
  const connection = cleanUp.use(await connectMcp(url))
  const kept = cleanUp.move()
  return {
    home,
    daemon,
    connection,
    run: (...command) => callText(connection, 'run', { command }),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}

async function removeAll(daemon: DaemonProcess): Promise<void> {
  const names = await listNames(daemon)
  for (const name of names) await daemon.api.call('deleteWorkload', { params: { name } })
  await untilGone(daemon, ...names)
}

/** A folder of this machine that a workload may get, whatever user it runs as. */
export async function makeSharedFolder(): Promise<{ path: string } & AsyncDisposable> {
  const path = await mkdtemp(join(tmpdir(), 'thv-shared-'))
  await chmod(path, 0o777)
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) }
}
