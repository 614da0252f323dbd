import { execFile } from 'node:child_process'
import { access, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { answersPing } from './engine-http.ts'
import type { Engine } from './engine.ts'
import { startService, type Service } from './service.ts'
import { Unavailable } from './unavailable.ts'

const run = promisify(execFile)
const DOCKERD = '/usr/sbin/dockerd'

/** A private Docker daemon in a folder of its own. Needs root and Debian's docker.io. */
export async function startDocker(): Promise<Engine> {
  if (process.getuid?.() !== 0) throw new Unavailable('a private Docker daemon needs root')
  await access(DOCKERD).catch(() => {
    throw new Unavailable('dockerd is not installed (Debian package docker.io)')
  })
  // Short: a unix socket's path has 107 bytes.
  const folder = await mkdtemp(join(tmpdir(), 'thv-d-'))
  const socketPath = join(folder, 'd.sock')
  let service: Service | undefined
  const start = async () => {
    service = await startService({
      command: DOCKERD,
      args: [
        '--data-root',
        join(folder, 'data'),
        '--exec-root',
        join(folder, 'exec'),
        '-H',
        `unix://${socketPath}`,
        '-p',
        join(folder, 'd.pid'),
      ],
      logFile: join(folder, 'dockerd.log'),
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
    // Its containerd dies with it. Pid files would keep the next ones from starting while a number is in use, even by a zombie.
    for (const file of ['d.pid', 'exec/containerd/containerd.pid']) await rm(join(folder, file), { force: true })
  }
  await start()
  return {
    kind: 'docker',
    socketPath,
    start,
    stop,
    kill,
    async [Symbol.asyncDispose]() {
      // A killed daemon left its containerd and containers behind; only a daemon ends them.
      if (service === undefined) await start()
      await stop()
      await unmountBelow(folder)
      await rm(folder, { recursive: true, force: true, maxRetries: 3 })
    },
  }
}

/** A daemon mounts its data folder on itself; a killed one leaves that to nobody. */
async function unmountBelow(folder: string): Promise<void> {
  const mounts = (await readFile('/proc/self/mountinfo', 'utf8')).split('\n').map((line) => line.split(' ')[4] ?? '')
  for (const mount of mounts.filter((path) => path.startsWith(`${folder}/`)).toReversed())
    await run('umount', ['--lazy', mount])
}
