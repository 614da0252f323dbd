import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { type ApiClient, createApiClient } from '@toolhaven/contract/client'
import { until } from '@toolhaven/testing/testbed/until'
import type { Home } from './home.ts'

/** The built program, made by global-setup.ts. */
export const THV = fileURLToPath(new URL('../../apps/cli/dist/thv.mjs', import.meta.url))

export interface DaemonProcess extends AsyncDisposable {
  pid: number
  port: number
  baseUrl: string
  api: ApiClient
  output: () => string
  /** Ends as in a power cut. */
  kill: () => Promise<void>
  /** Asks it to end and waits. Returns the exit code. */
  stop: () => Promise<number | null>
  /** Its exit code, when it ended without being asked to. */
  ended: () => Promise<number | null>
}

/** Starts `thv serve` as a user would and waits until it says that it is ready. */
export async function startDaemon(
  home: Home,
  args: readonly string[] = [],
  program: readonly string[] = [THV],
): Promise<DaemonProcess> {
  const { child, output } = spawnThv(home, ['serve', '--host', '127.0.0.1', '--port', '0', ...args], program)
  const readPort = () => {
    if (hasEnded(child)) throw new Error(`the daemon ended with ${child.exitCode ?? child.signalCode}: ${output()}`)
    const match = /API\s+http:\/\/\S+:(\d+)\/api/.exec(output())
    return match ? Number(match[1]) : undefined
  }
  const port = await until('the daemon to be ready', readPort, 90_000).catch(async (error: unknown) => {
    await end(child, 'SIGKILL')
    throw error
  })
  const baseUrl = `http://127.0.0.1:${port}`
  const token = home.env['THV_API_TOKEN']
  const fetchOrTell = (request: Request) =>
    fetch(request).catch((cause: unknown) => {
      if (!hasEnded(child)) throw cause
      throw new Error(`the daemon ended with ${child.exitCode ?? child.signalCode}: ${output()}`, { cause })
    })
  return {
    pid: child.pid ?? 0,
    port,
    baseUrl,
    api: createApiClient({ baseUrl, fetch: fetchOrTell, ...(token !== undefined && { token }) }),
    output,
    kill: () => end(child, 'SIGKILL').then(() => undefined),
    stop: () => end(child, 'SIGTERM'),
    ended: () => exitOf(child),
    [Symbol.asyncDispose]: async () => {
      await end(child, 'SIGTERM')
    },
  }
}

/** Runs `thv` to its end. */
export async function runThv(home: Home, args: readonly string[]): Promise<{ code: number | null; output: string }> {
  const { child, output } = spawnThv(home, args)
  const patience = setTimeout(() => child.kill('SIGKILL'), 60_000)
  const code = await exitOf(child)
  clearTimeout(patience)
  return { code, output: output() }
}

function spawnThv(
  home: Home,
  args: readonly string[],
  program: readonly string[] = [THV],
): { child: ChildProcess; output: () => string } {
  const child = spawn(process.execPath, [...program, ...args], {
    env: home.env,
    cwd: home.dir,
    stdio: ['ignore', 'pipe', 'pipe'],
    ...home.user,
  })
  let text = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (text += chunk.toString()))
  return { child, output: () => text }
}

const hasEnded = (child: ChildProcess) => child.exitCode !== null || child.signalCode !== null

async function exitOf(child: ChildProcess): Promise<number | null> {
  // 'close' comes after the last output.
  if (!hasEnded(child)) await once(child, 'close')
  return child.exitCode
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  if (hasEnded(child)) return child.exitCode
  const exited = exitOf(child)
  child.kill(signal)
  const patience = setTimeout(() => child.kill('SIGKILL'), 60_000)
  const code = await exited
  clearTimeout(patience)
  return code
}
