import { access, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { answersPing } from './engine-http.ts'
import type { Engine } from './engine.ts'
import { startService, type Service } from './service.ts'
import { Unavailable } from './unavailable.ts'

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
    // Its pid file would keep the next one from starting if the number is used again.
    await rm(join(folder, 'd.pid'), { force: true })
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
      await rm(folder, { recursive: true, force: true, maxRetries: 3 })
    },
  }
}
