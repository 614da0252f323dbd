import { execFile } from 'node:child_process'
import { access, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createBridge } from './bridge.ts'
import { answersPing } from './engine-http.ts'
import type { Engine } from './engine.ts'
import { startService, type Service } from './service.ts'
import { Unavailable } from './unavailable.ts'

const run = promisify(execFile)
const DOCKERD = '/usr/sbin/dockerd'

/** A private Docker daemon in its own folder. Needs root and Debian's docker.io. */
export async function startDocker(): Promise<Engine> {
  if (process.getuid?.() !== 0) throw new Unavailable('a private Docker daemon needs root')
  await access(DOCKERD).catch(() => {
    throw new Unavailable('dockerd is not installed (Debian package docker.io)')
  })
  // Short: a unix socket's path has 107 bytes.
  const folder = await mkdtemp(join(tmpdir(), 'thv-d-'))
  const socketPath = join(folder, 'd.sock')
  const bridge = await createBridge()
  let service: Service | undefined
  const startOnce = async () => {
    service = await startService({
      command: DOCKERD,
      args: [
        '--data-root',
        join(folder, 'data'),
        '--exec-root',
        join(folder, 'exec'),
        '--bridge',
        bridge.name,
        '-H',
        `unix://${socketPath}`,
        '-p',
        join(folder, 'd.pid'),
      ],
      // A containerd that is asked to end while it is stuck writes its stacks to the temporary folder.
      env: { PATH: process.env['PATH'] ?? '', HOME: folder, TMPDIR: folder },
      logFile: join(folder, 'dockerd.log'),
      isReady: () => answersPing(socketPath),
    })
  }
  const start = () => withRetries(startOnce)
  const stop = async () => {
    await service?.[Symbol.asyncDispose]()
    service = undefined
  }
  const kill = async () => {
    await service?.kill()
    service = undefined
    // Its containerd dies with it. Pid files would keep the next ones from starting while a number is in use, even by a
    // zombie.
    for (const file of ['d.pid', 'exec/containerd/containerd.pid']) await rm(join(folder, file), { force: true })
  }
  await start().catch(async (error: unknown) => {
    await bridge[Symbol.asyncDispose]()
    throw error
  })
  return {
    kind: 'docker',
    socketPath,
    start,
    stop,
    kill,
    async [Symbol.asyncDispose]() {
      // A killed daemon leaves its containerd and containers behind, and only a daemon ends them.
      if (service === undefined) await start()
      await stop()
      await bridge[Symbol.asyncDispose]()
      await unmountBelow(folder)
      await rm(folder, { recursive: true, force: true, maxRetries: 3 })
    },
  }
}

/**
 * Two daemons that start at the same time create the same iptables chain. The second fails, and finds the chain when it
 * tries again.
 */
async function withRetries(start: () => Promise<void>, left = 5): Promise<void> {
  try {
    await start()
  } catch (error) {
    if (left === 0 || !String(error).includes('iptables failed')) throw error
    await withRetries(start, left - 1)
  }
}

/** A daemon mounts its data folder on itself. A killed one does not unmount it. */
async function unmountBelow(folder: string): Promise<void> {
  const mounts = (await readFile('/proc/self/mountinfo', 'utf8')).split('\n').map((line) => line.split(' ')[4] ?? '')
  for (const mount of mounts.filter((path) => path.startsWith(`${folder}/`)).toReversed())
    await run('umount', ['--lazy', mount])
}
