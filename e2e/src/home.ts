import { chown, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type PrivateHome, privateHome } from '@toolhaven/testing/testbed/private-home'
import { connectAs } from './connect-as.ts'
import type { User } from './user.ts'

export interface Home extends PrivateHome, AsyncDisposable {
  /** The user of the daemon, who is also the user of fetch while the home exists (default: the user of the tests). */
  user?: User
  stateDir: string
}

export interface HomeOptions {
  env?: Readonly<Record<string, string>>
  user?: User | undefined
}

export async function makeHome({ env: extra = {}, user }: HomeOptions = {}): Promise<Home> {
  const { dir, env } = await privateHome({ ...machineSettings(), ...extra })
  if (user) for (const name of ['', 'home', 'run']) await chown(join(dir, name), user.uid, user.gid)
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

const MACHINE_SETTING =
  /^(TMPDIR$|NODE_COMPILE_CACHE$|npm_config_|PIP_|UV_|SSL_CERT|NODE_EXTRA_CA|REQUESTS_CA|GO|HTTPS?_PROXY|NO_PROXY)/i

/**
 * How this machine reaches its package registries, and where it keeps temporary files: a user's daemon would inherit
 * the same.
 */
function machineSettings(): Record<string, string> {
  const found = Object.entries(process.env).filter(([name]) => MACHINE_SETTING.test(name))
  return Object.fromEntries(found.map(([name, value]) => [name, value ?? '']))
}
