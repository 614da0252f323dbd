import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type PrivateHome, privateHome } from '@toolhaven/testing/testbed/private-home'
import { type ServerProcess, freePort, startServer } from './server-process.ts'

export const THV = fileURLToPath(new URL('../../../apps/cli/dist/thv.mjs', import.meta.url))
export const BARE_SERVER = fileURLToPath(new URL('bare-server.mjs', import.meta.url))

export interface Home extends PrivateHome, AsyncDisposable {
  workloadsDir: string
}

export async function makeHome(extra: Readonly<Record<string, string>>): Promise<Home> {
  const { dir, env } = await privateHome(extra)
  const workloadsDir = join(dir, 'state', 'toolhaven', 'workloads')
  return {
    dir,
    env,
    workloadsDir,
    [Symbol.asyncDispose]: () => rm(dir, { recursive: true, force: true, maxRetries: 3 }),
  }
}

const VERSION_PATH = '/api/v1beta/version'

/** `thv serve` as a user starts it. */
export async function startDaemon({ env }: Home): Promise<ServerProcess> {
  const port = await freePort()
  const args = [THV, 'serve', '--host', '127.0.0.1', '--port', String(port)]
  return startServer({ command: process.execPath, args, env, port, path: VERSION_PATH })
}

/** The hono server next to it, started in the same way. */
export async function startBareServer({ env }: Home, file?: string): Promise<ServerProcess> {
  const port = await freePort()
  const args = [BARE_SERVER, String(port), ...(file === undefined ? [] : [file])]
  return startServer({ command: process.execPath, args, env, port, path: VERSION_PATH })
}
