import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type ServerProcess, freePort, startServer } from './server-process.ts'

export const THV = fileURLToPath(new URL('../../../apps/cli/dist/thv.mjs', import.meta.url))
export const BARE_SERVER = fileURLToPath(new URL('bare-server.mjs', import.meta.url))

/** Everything one daemon keeps, in a temporary folder. */
export interface Home extends AsyncDisposable {
  dir: string
  env: Record<string, string>
  workloadsDir: string
}

export async function makeHome(extra: Readonly<Record<string, string>>): Promise<Home> {
  const dir = await mkdtemp(join(tmpdir(), 'thv-b-'))
  for (const name of ['home', 'run']) await mkdir(join(dir, name), { mode: 0o700 })
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: join(dir, 'home'),
    XDG_STATE_HOME: join(dir, 'state'),
    XDG_DATA_HOME: join(dir, 'data'),
    XDG_CONFIG_HOME: join(dir, 'config'),
    XDG_CACHE_HOME: join(dir, 'cache'),
    XDG_RUNTIME_DIR: join(dir, 'run'),
    ...extra,
  }
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
