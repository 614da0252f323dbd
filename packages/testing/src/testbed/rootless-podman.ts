import { execFile } from 'node:child_process'
import { access, chmod, chown, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { answersPing } from './engine-http.ts'
import type { Engine } from './engine.ts'
import { startService, type Service } from './service.ts'
import { Unavailable } from './unavailable.ts'

const run = promisify(execFile)
const USER = 'thvtest'
const PODMAN = '/usr/bin/podman'
const PATH = '/usr/sbin:/usr/bin:/sbin:/bin'

/**
 * A Podman service of an ordinary user that is created for it. Needs root (to become that user) and Debian's podman,
 * uidmap, slirp4netns.
 */
export async function startRootlessPodman(): Promise<Engine> {
  if (process.getuid?.() !== 0)
    throw new Unavailable('a rootless Podman of another user needs root to become that user')
  for (const program of [PODMAN, '/usr/bin/newuidmap', '/usr/bin/slirp4netns']) {
    await access(program).catch(() => {
      throw new Unavailable(`${program} is not installed (Debian packages podman, uidmap, slirp4netns)`)
    })
  }
  const { uid, gid } = await ensureUser()
  await openTun()
  const folder = await mkdtemp(join(tmpdir(), 'thv-p-'))
  const socketPath = join(folder, 'p.sock')
  // Its own home: registries.conf is looked up there, whatever XDG_CONFIG_HOME says.
  const env = { HOME: folder, PATH, XDG_RUNTIME_DIR: join(folder, 'run') }
  await writeConfig(folder, uid, gid)
  let service: Service | undefined
  const start = async () => {
    service = await startService({
      command: PODMAN,
      args: ['system', 'service', '--time=0', `unix://${socketPath}`],
      env,
      uid,
      gid,
      logFile: join(folder, 'podman.log'),
      group: true,
      isReady: () => answersPing(socketPath),
    })
  }
  const stop = async () => {
    await service?.[Symbol.asyncDispose]()
    service = undefined
  }
  const kill = async () => {
    await service?.kill()
    service = undefined
    await rm(socketPath, { force: true })
  }
  await start()
  return {
    kind: 'podman',
    socketPath,
    start,
    stop,
    kill,
    async [Symbol.asyncDispose]() {
      await stop()
      // Containers and the pause process outlive the service. Reset ends both and unmounts.
      await run(PODMAN, ['system', 'reset', '--force'], { env, uid, gid, cwd: folder }).catch(() => undefined)
      await endPauseProcess(join(folder, 'run'))
      await rm(folder, { recursive: true, force: true, maxRetries: 3 })
    },
  }
}

async function writeConfig(folder: string, uid: number, gid: number): Promise<void> {
  const config = join(folder, '.config', 'containers')
  await mkdir(config, { recursive: true })
  for (const name of ['run', 'data']) await mkdir(join(folder, name), { mode: 0o700 })
  await writeFile(
    join(config, 'storage.conf'),
    `[storage]\ndriver = "overlay"\ngraphroot = "${folder}/data"\nrunroot = "${folder}/run/containers"\n`,
  )
  // crun refuses machines that mount both cgroup versions.
  await writeFile(
    join(config, 'containers.conf'),
    '[engine]\nruntime = "runc"\ncgroup_manager = "cgroupfs"\nevents_logger = "file"\n',
  )
  // A registry of the testbed on the loopback has no certificate.
  await writeFile(join(config, 'registries.conf'), '[[registry]]\nlocation = "127.0.0.1"\ninsecure = true\n')
  await writeFile(join(config, 'policy.json'), '{"default":[{"type":"insecureAcceptAnything"}]}')
  for (const path of ['', '.config', '.config/containers', 'run', 'data']) await chown(join(folder, path), uid, gid)
}

async function ensureUser(): Promise<{ uid: number; gid: number }> {
  const known = await findUser()
  if (known !== undefined) return known
  await run('/usr/sbin/useradd', ['--create-home', '--shell', '/usr/sbin/nologin', USER]).catch((cause: unknown) => {
    throw new Unavailable(`the user ${USER} cannot be made`, { cause })
  })
  const made = await findUser()
  if (made === undefined) throw new Unavailable(`the user ${USER} was made but is not there`)
  return made
}

async function findUser(): Promise<{ uid: number; gid: number } | undefined> {
  const line = (await readFile('/etc/passwd', 'utf8')).split('\n').find((entry) => entry.startsWith(`${USER}:`))
  if (line === undefined) return undefined
  const subuid = await readFile('/etc/subuid', 'utf8').catch(() => '')
  if (!subuid.split('\n').some((entry) => entry.startsWith(`${USER}:`)))
    throw new Unavailable(`${USER} has no range in /etc/subuid`)
  const fields = line.split(':')
  return { uid: Number(fields[2]), gid: Number(fields[3]) }
}

/**
 * Rootless networking opens /dev/net/tun as the user. Every distribution ships it with 0666, but bare containers
 * differ.
 */
async function openTun(): Promise<void> {
  const tun = await stat('/dev/net/tun').catch(() => {
    throw new Unavailable('/dev/net/tun is missing, which rootless networking needs')
  })
  if ((tun.mode & 0o006) !== 0o006) await chmod('/dev/net/tun', 0o666)
}

async function endPauseProcess(runtimeFolder: string): Promise<void> {
  const pid = Number(await readFile(join(runtimeFolder, 'libpod', 'tmp', 'pause.pid'), 'utf8').catch(() => '0'))
  if (pid > 1) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // It ended with the reset.
    }
  }
}
