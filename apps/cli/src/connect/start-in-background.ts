import { spawn } from 'node:child_process'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { unavailable } from '@toolhaven/core/errors'
import type { ToolhavenPaths } from '@toolhaven/stores/files/paths'
import { ensurePrivateFolder } from '@toolhaven/stores/files/private-folder'
import { createDaemonClient } from './daemon-client.ts'

type Env = Readonly<Record<string, string | undefined>>

const START_MS = 60_000

interface Start {
  paths: ToolhavenPaths
  env: Env
  /** Of `thv serve`. */
  args?: readonly string[]
}

/** Detached, with its output in a file: it goes on when the terminal is closed. */
export async function startInBackground({ paths, env, args = [] }: Start, signal: AbortSignal): Promise<void> {
  await ensurePrivateFolder(paths.stateDir)
  const output = join(paths.stateDir, 'daemon.out')
  const log = await open(output, 'w', 0o600)
  // What was started is what is started again: the sources or the bundle.
  const [, program = ''] = process.argv
  const child = spawn(process.execPath, [program, 'serve', ...args], {
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
