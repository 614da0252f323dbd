import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chown, mkdir, readFile, readdir, rm, rmdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { type Service, startService } from '@toolhaven/testing/testbed/service'
import { Unavailable } from '@toolhaven/testing/testbed/unavailable'
import { until } from '@toolhaven/testing/testbed/until'
import type { Home } from './home.ts'
import type { User } from './user.ts'

const SYSTEMD = '/lib/systemd/systemd'

/** Joins its control groups, makes systemd believe that it runs this machine, and becomes the user. */
const START = `
uid=$1 gid=$2; shift 2
for group; do echo $$ > "$group/cgroup.procs" || exit 1; done
mkdir -p /run/systemd && mount -t tmpfs tmpfs /run/systemd && mkdir /run/systemd/system || exit 1
exec setpriv --reuid "$uid" --regid "$gid" --clear-groups ${SYSTEMD} --user
`

export interface UserSystemd extends AsyncDisposable {
  /** Power off without a warning, and on again: every process is gone, and so is what lay in the runtime folder. */
  reboot: () => Promise<void>
}

/**
 * A real systemd instance of an ordinary user, in control groups of its own. It sees nothing of what the home's
 * variables say but where its units are, as after a login.
 */
export async function startUserSystemd(home: Home): Promise<UserSystemd> {
  const { user } = home
  if (process.getuid?.() !== 0 || !user) throw new Unavailable('a systemd instance of another user needs root')
  if (!existsSync(SYSTEMD)) throw new Unavailable('systemd is not installed (Debian package systemd)')
  const env = {
    PATH: '/usr/bin:/bin',
    HOME: home.env['HOME'] ?? '',
    XDG_CONFIG_HOME: home.env['XDG_CONFIG_HOME'] ?? '',
    XDG_RUNTIME_DIR: home.env['XDG_RUNTIME_DIR'] ?? '',
  }
  const groups = await makeGroups(basename(home.dir), user)
  const start = () =>
    startService({
      command: 'unshare',
      args: ['--mount', '--propagation', 'private', 'sh', '-c', START, 'sh', `${user.uid}`, `${user.gid}`, ...groups],
      env,
      logFile: join(home.dir, 'systemd.log'),
      isReady: () =>
        promisify(execFile)('systemctl', ['--user', 'show-environment'], { env, ...user }).then(isTrue, isFalse),
    })
  let service: Service | undefined = await start()
  const powerOff = async () => {
    await service?.kill()
    service = undefined
    await until('every process to be gone', async () => {
      const pids = (await Promise.all(groups.map(processesIn))).flat()
      for (const pid of pids) killIfThere(pid)
      return pids.length === 0
    })
  }
  return {
    async reboot() {
      await powerOff()
      const folder = env.XDG_RUNTIME_DIR
      for (const name of await readdir(folder)) await rm(join(folder, name), { recursive: true, force: true })
      service = await start()
    },
    async [Symbol.asyncDispose]() {
      await powerOff()
      for (const group of groups) await removeGroup(group)
    },
  }
}

const isTrue = () => true
const isFalse = () => false

/** One in each hierarchy that systemd uses to tell processes apart, handed over to the user. */
async function makeGroups(name: string, { uid, gid }: User): Promise<string[]> {
  const own = (await readFile('/proc/self/cgroup', 'utf8')).trim().split('\n')
  const pathOf = (mark: string) => own.find((line) => line.includes(mark))?.split(':')[2] ?? '/'
  const parents = [
    join('/sys/fs/cgroup/systemd', pathOf(':name=systemd:')),
    join('/sys/fs/cgroup/unified', pathOf('0::')),
    join('/sys/fs/cgroup', pathOf('0::')),
  ].filter((folder) => existsSync(join(folder, 'cgroup.procs')))
  const groups = parents.map((parent) => join(parent, name))
  for (const group of groups) {
    await mkdir(group).catch((cause: unknown) => {
      throw new Unavailable('no control group can be made here, which systemd needs', { cause })
    })
    for (const file of ['', ...(await readdir(group))]) await chown(join(group, file), uid, gid)
  }
  return groups
}

async function processesIn(group: string): Promise<number[]> {
  const files = await readdir(group, { recursive: true }).catch(() => [])
  const lists = files.filter((file) => basename(file) === 'cgroup.procs').map((file) => join(group, file))
  const texts = await Promise.all(lists.map((file) => readFile(file, 'utf8').catch(() => '')))
  return texts.flatMap((text) => text.split('\n').filter((line) => line !== '')).map(Number)
}

function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It ended meanwhile.
  }
}

async function removeGroup(group: string): Promise<void> {
  const entries = await readdir(group, { withFileTypes: true }).catch(() => [])
  for (const entry of entries) if (entry.isDirectory()) await removeGroup(join(group, entry.name))
  await rmdir(group).catch(() => undefined)
}
