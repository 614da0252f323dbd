import { mkdir, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface PrivateHome {
  dir: string
  /** What a daemon needs so that everything it keeps is below `dir`. */
  env: Record<string, string>
}

/** A machine of its own for one daemon: home, state, data, configuration and sockets in one temporary folder. */
export async function privateHome(extra: Readonly<Record<string, string>>): Promise<PrivateHome> {
  const dir = await mkdtemp(join(tmpdir(), 'thv-h-'))
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
  // A test takes a variable away by giving it no value.
  return { dir, env: Object.fromEntries(Object.entries(env).filter(([, value]) => value !== '')) }
}
