import { execFile } from 'node:child_process'
import { access, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { startService } from './service.ts'
import { Unavailable } from './unavailable.ts'

const KEYRING = '/usr/bin/gnome-keyring-daemon'

export interface PrivateKeyring extends AsyncDisposable {
  /** The variables by which a program of the session finds the keyring. */
  env: Record<string, string>
}

/** Its own session bus with an open, empty keyring. Needs Debian's gnome-keyring and its dependencies. */
export async function startKeyring(): Promise<PrivateKeyring> {
  await access(KEYRING).catch(() => {
    throw new Unavailable('no keyring is installed (Debian package gnome-keyring)')
  })
  await using cleanUp = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), 'thv-k-'))
  cleanUp.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }))
  const socket = join(folder, 'bus')
  const address = `unix:path=${socket}`
  const below = (name: string) => join(folder, name)
  const env = { PATH: process.env['PATH'] ?? '', HOME: folder, DBUS_SESSION_BUS_ADDRESS: address }
  const places = { XDG_RUNTIME_DIR: below('run'), XDG_DATA_HOME: below('data'), XDG_CONFIG_HOME: below('config') }
  for (const place of Object.values(places)) await mkdir(place, { mode: 0o700 })
  const common = { env: { ...env, ...places }, logFile: below('log') }
  cleanUp.use(
    await startService({
      ...common,
      command: 'dbus-daemon',
      args: ['--session', '--nofork', `--address=${address}`],
      isReady: () =>
        access(socket).then(
          () => true,
          () => false,
        ),
    }),
  )
  cleanUp.use(
    await startService({
      ...common,
      command: 'sh',
      // The password comes through its standard input. An empty one would leave the keyring locked.
      args: ['-c', `echo open | ${KEYRING} --unlock --foreground --components=secrets`],
      group: true,
      isReady: () => hasSecrets(common.env),
    }),
  )
  const kept = cleanUp.move()
  return { env: { DBUS_SESSION_BUS_ADDRESS: address }, [Symbol.asyncDispose]: () => kept.disposeAsync() }
}

/** Asks the bus itself: asking for the service would start a second keyring, a locked one. */
async function hasSecrets(env: Record<string, string>): Promise<boolean> {
  const bus = ['--dest=org.freedesktop.DBus', '/org/freedesktop/DBus', 'org.freedesktop.DBus.NameHasOwner']
  const args = ['--session', '--print-reply', ...bus, 'string:org.freedesktop.secrets']
  const { stdout } = await promisify(execFile)('dbus-send', args, { env })
  return stdout.includes('boolean true')
}
