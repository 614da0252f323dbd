import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { type FileHandle, open, statfs } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { describeError, unavailable } from '@toolhaven/core/errors'
import type { ToolhavenPaths } from '@toolhaven/stores/files/paths'
import { ensurePrivateFolder } from '@toolhaven/stores/files/private-folder'
import { COMING_UP_MS, answeringDaemon } from './wait-for-daemon.ts'

export interface BackgroundStart {
  paths: ToolhavenPaths
  env: Readonly<Record<string, string | undefined>>
  say: (line: string) => void
  /** Arguments for `thv serve`. */
  args?: readonly string[]
}

/**
 * Starts a daemon unless one runs or is starting, and returns the socket of the daemon that answers. If several commands do this at
 * once, one of the daemons gets the state folder. The others end, and their commands wait for that one.
 */
export async function startInBackground(start: BackgroundStart, signal: AbortSignal): Promise<string> {
  const { stateDir } = start.paths
  const home = start.env['HOME']
  // A mistyped one is a new world, in which all workloads seem lost.
  if (home && stateDir.startsWith(home) && !existsSync(home))
    start.say(`Warning: HOME is ${home}, which does not exist yet`)
  await ensurePrivateFolder(stateDir)
  const limit = AbortSignal.any([signal, AbortSignal.timeout(COMING_UP_MS)])
  const path = join(stateDir, 'daemon.out')
  await using output = await openOutput(path)
  try {
    const socketPath = await bringUp(start, output, limit)
    for (const line of await output.linesSince()) if (line.startsWith('Warning: ')) start.say(line)
    return socketPath
  } catch (error) {
    if (signal.aborted || !limit.aborted) throw error
    throw unavailable(`the daemon did not come up within ${COMING_UP_MS / 1000} s; ${path} says how far it got`, error)
  }
}

async function bringUp(start: BackgroundStart, output: Output, signal: AbortSignal): Promise<string> {
  let child: ChildProcess | undefined
  for (;;) {
    const found = await answeringDaemon(start.paths.stateDir, signal)
    if (found !== undefined) {
      // The child is still starting and would take over if the other daemon were stopped now.
      if (child?.pid !== found.pid) child?.kill()
      return found.socketPath
    }
    if (child === undefined) start.say('Starting the daemon in the background')
    // A child that gave way to another daemon did not fail. If that daemon is gone too, start another child.
    if (child === undefined || hasMadeWay(child)) child = spawnDaemon(start, output.fd)
    else if (child.exitCode !== null || child.signalCode !== null)
      throw await couldNotStart(await output.linesSince(), output.path)
    await delay(50, undefined, { signal })
  }
}

/** By itself, or asked to by one that takes over, before it could listen to that. */
function hasMadeWay({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode === 0 || signalCode === 'SIGTERM'
}

/** Detached, with its output in a file, so that it continues when the terminal is closed. */
function spawnDaemon({ env, args = [] }: BackgroundStart, outputFd: number): ChildProcess {
  // Starts the daemon in the same form as this command: from the sources or the bundle.
  const [, program = ''] = process.argv
  const child = spawn(process.execPath, [program, 'serve', '--on-demand', ...args], {
    detached: true,
    stdio: ['ignore', outputFd, outputFd],
    env: { ...env },
    cwd: '/',
  })
  child.unref()
  return child
}

const MAX_OUTPUT_BYTES = 64 * 1024

interface Output extends AsyncDisposable {
  path: string
  fd: number
  /** The output since the file was opened. */
  linesSince: () => Promise<string[]>
}

/** Opened for appending, because several daemons may write to it at once. */
async function openOutput(path: string): Promise<Output> {
  const file = await open(path, 'a+', 0o600).catch((error: unknown) => {
    throw unavailable(
      `the daemon cannot be started, because its output file cannot be opened: ${describeError(error)}`,
      error,
    )
  })
  const { size } = await file.stat()
  if (size > MAX_OUTPUT_BYTES) await file.truncate()
  const from = size > MAX_OUTPUT_BYTES ? 0 : size
  return {
    path,
    fd: file.fd,
    linesSince: async () => (await readFrom(file, from)).split('\n'),
    [Symbol.asyncDispose]: () => file.close(),
  }
}

async function readFrom(file: FileHandle, from: number): Promise<string> {
  const { bytesRead, buffer } = await file.read(Buffer.alloc(MAX_OUTPUT_BYTES), 0, MAX_OUTPUT_BYTES, from)
  return buffer.toString('utf8', 0, bytesRead)
}

async function couldNotStart(lines: readonly string[], path: string) {
  const prefix = 'thv: '
  const at = lines.findLastIndex((line) => line.startsWith(prefix))
  // On a full disk, the child could not write its reason either.
  if (at === -1 && (await statfs(path)).bavail === 0)
    return unavailable(
      `the daemon could not be started: no space is left for ${dirname(path)}\nFree some space and try again.`,
    )
  if (at === -1) return unavailable(`the daemon could not be started; ${path} says why`)
  return unavailable(`the daemon could not be started: ${lines.slice(at).join('\n').slice(prefix.length).trim()}`)
}
