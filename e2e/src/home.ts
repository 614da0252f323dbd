import { chown, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connectAs } from './connect-as.ts'
import type { User } from './user.ts'

/** A machine of its own for one daemon: home, state, data, configuration and sockets in one temporary folder. */
export interface Home extends AsyncDisposable {
  dir: string
  env: Record<string, string>
  /** Who runs the daemon, and as whom fetch connects while the home is there (default: the user of the tests). */
  user?: User
  stateDir: string
}

export interface HomeOptions {
  env?: Readonly<Record<string, string>>
  user?: User | undefined
}

export async function makeHome({ env: extra = {}, user }: HomeOptions = {}): Promise<Home> {
  const dir = await mkdtemp(join(tmpdir(), 'thv-e2e-'))
  const below = (name: string) => join(dir, name)
  const env = withoutEmpty({
    PATH: process.env['PATH'] ?? '',
    HOME: below('home'),
    XDG_STATE_HOME: below('state'),
    XDG_DATA_HOME: below('data'),
    XDG_CONFIG_HOME: below('config'),
    XDG_CACHE_HOME: below('cache'),
    XDG_RUNTIME_DIR: below('run'),
    ...machineSettings(),
    ...extra,
  })
  for (const name of ['home', 'run']) await mkdir(below(name), { mode: 0o700 })
  if (user) for (const name of ['', 'home', 'run']) await chown(below(name), user.uid, user.gid)
  const connection = user && user.uid !== process.getuid?.() ? await connectAs(user) : undefined
  return {
    dir,
    env,
    ...(user && { user }),
    stateDir: join(env['XDG_STATE_HOME'] ?? '', 'toolhaven'),
    async [Symbol.asyncDispose]() {
      await connection?.[Symbol.asyncDispose]()
      await rm(dir, { recursive: true, force: true, maxRetries: 3 })
    },
  }
}

/** A test takes a variable away by giving it no value. */
function withoutEmpty(env: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''))
}

const MACHINE_SETTING =
  /^(TMPDIR$|NODE_COMPILE_CACHE$|npm_config_|PIP_|UV_|SSL_CERT|NODE_EXTRA_CA|REQUESTS_CA|GO|HTTPS?_PROXY|NO_PROXY)/i

/** How this machine reaches its package registries, and where it keeps temporary files: a user's daemon would inherit the same. */
function machineSettings(): Record<string, string> {
  const found = Object.entries(process.env).filter(([name]) => MACHINE_SETTING.test(name))
  return Object.fromEntries(found.map(([name, value]) => [name, value ?? '']))
}
