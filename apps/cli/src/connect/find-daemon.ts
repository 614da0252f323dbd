import { spawn } from 'node:child_process'
import { open } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { invalid, unavailable } from '@toolhaven/core/errors'
import { readLock } from '@toolhaven/stores/files/instance-lock'
import { type ToolhavenPaths, toolhavenPaths } from '@toolhaven/stores/files/paths'
import { ensurePrivateFolder } from '@toolhaven/stores/files/private-folder'
import { type DaemonClient, createDaemonClient } from './daemon-client.ts'

type Env = Readonly<Record<string, string | undefined>>

const START_MS = 60_000

/** The daemon THV_HOST names, else the one of this user's state folder, started in the background when none runs. */
export async function findDaemon(env: Env, say: (line: string) => void, signal: AbortSignal): Promise<DaemonClient> {
  const running = await findRunningDaemon(env)
  if (running) return running
  const paths = pathsOf(env)
  say('Starting the daemon in the background')
  await startInBackground(paths, env, signal)
  return createDaemonClient({ socketPath: paths.socketPath })
}

/** The same, but none is started. */
export async function findRunningDaemon(env: Env): Promise<DaemonClient | undefined> {
  if (env['THV_HOST']) return createDaemonClient(addressOf(env['THV_HOST'], env['THV_API_TOKEN']))
  const socketPath = await runningSocket(pathsOf(env))
  return socketPath === undefined ? undefined : createDaemonClient({ socketPath })
}

export function pathsOf(env: Env): ToolhavenPaths {
  return toolhavenPaths({
    env,
    homeDir: env['HOME'] || homedir(),
    platform: process.platform,
    tmpDir: tmpdir(),
    uid: process.getuid?.() ?? 0,
  })
}

async function runningSocket(paths: ToolhavenPaths): Promise<string | undefined> {
  const lock = await readLock(paths.stateDir)
  return lock?.alive ? lock.holder.socketPath : undefined
}

function addressOf(text: string, token: string | undefined) {
  const url = URL.parse(text.includes('://') ? text : `http://${text}`)
  if (!url || url.protocol !== 'http:') throw invalid('THV_HOST must be host:port or http://host:port')
  return { host: url.hostname, port: Number(url.port || 8080), ...(token && { token }) }
}

/** Detached, with its output in a file: it goes on when the terminal is closed. */
async function startInBackground(paths: ToolhavenPaths, env: Env, signal: AbortSignal): Promise<void> {
  await ensurePrivateFolder(paths.stateDir)
  const output = join(paths.stateDir, 'daemon.out')
  const log = await open(output, 'w', 0o600)
  // What was started is what is started again: the sources or the bundle.
  const [, program = ''] = process.argv
  const child = spawn(process.execPath, [program, 'serve'], {
    detached: true,
    stdio: ['ignore', log.fd, log.fd],
    env: { ...env },
    cwd: '/',
  })
  await log.close()
  child.unref()
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(START_MS)])
  while (!(await answers(paths))) {
    if (child.exitCode !== null) throw unavailable(`the daemon could not be started; ${output} says why`)
    if (deadline.aborted)
      throw unavailable(`the daemon did not come up within ${START_MS / 1000} s; ${output} says how far it got`)
    await delay(50)
  }
}

async function answers(paths: ToolhavenPaths): Promise<boolean> {
  try {
    await createDaemonClient({ socketPath: paths.socketPath }).call('getVersion', {}, AbortSignal.timeout(1_000))
    return true
  } catch {
    return false // not yet
  }
}
