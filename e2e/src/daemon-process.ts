import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, mkdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type ApiClient, createApiClient } from '@toolhaven/contract/client'
import { until } from '@toolhaven/testing/testbed/until'

const THV = fileURLToPath(new URL('../../apps/cli/bin/thv.mjs', import.meta.url))

/** A machine of its own for one daemon: home, state, data, configuration and sockets in one temporary folder. */
export interface Home extends AsyncDisposable {
  dir: string
  env: Record<string, string>
}

export async function makeHome(extra: Readonly<Record<string, string>> = {}): Promise<Home> {
  const dir = await mkdtemp(join(tmpdir(), 'thv-e2e-'))
  const below = (name: string) => join(dir, name)
  await mkdir(below('home'), { mode: 0o700 })
  await mkdir(below('run'), { mode: 0o700 })
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: below('home'),
    XDG_STATE_HOME: below('state'),
    XDG_DATA_HOME: below('data'),
    XDG_CONFIG_HOME: below('config'),
    XDG_CACHE_HOME: below('cache'),
    XDG_RUNTIME_DIR: below('run'),
    ...machineSettings(),
    ...extra,
  }
  return { dir, env, [Symbol.asyncDispose]: () => rm(dir, { recursive: true, force: true }) }
}

/** How this machine reaches its package registries: a user's daemon would inherit the same. */
function machineSettings(): Record<string, string> {
  const names = Object.keys(process.env).filter((name) => /^(npm_config_|PIP_|UV_|SSL_CERT|NODE_EXTRA_CA|REQUESTS_CA|GO|HTTPS?_PROXY|NO_PROXY)/i.test(name))
  return Object.fromEntries(names.map((name) => [name, process.env[name] ?? '']))
}

export interface DaemonProcess extends AsyncDisposable {
  pid: number
  port: number
  baseUrl: string
  api: ApiClient
  output: () => string
  /** Ends as a power cut would. */
  kill: () => Promise<void>
  /** Asks it to end and waits; gives the exit code. */
  stop: () => Promise<number | null>
}

/** Starts `thv serve` as a user would and waits until it says that it is ready. */
export async function startDaemon(home: Home, args: readonly string[] = []): Promise<DaemonProcess> {
  const child = spawn(process.execPath, [THV, 'serve', '--host', '127.0.0.1', '--port', '0', ...args], {
    env: home.env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()))
  const readPort = () => {
    if (child.exitCode !== null) throw new Error(`the daemon ended with ${child.exitCode}: ${output}`)
    const match = /API\s+http:\/\/127\.0\.0\.1:(\d+)/.exec(output)
    return match ? Number(match[1]) : undefined
  }
  const port = await until('the daemon to be ready', readPort, 60_000)
  const baseUrl = `http://127.0.0.1:${port}`
  return {
    pid: child.pid ?? 0,
    port,
    baseUrl,
    api: createApiClient({ baseUrl }),
    output: () => output,
    kill: () => end(child, 'SIGKILL').then(() => undefined),
    stop: () => end(child, 'SIGTERM'),
    [Symbol.asyncDispose]: async () => {
      await end(child, 'SIGTERM')
    },
  }
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode
  const exited = once(child, 'exit')
  child.kill(signal)
  const patience = setTimeout(() => child.kill('SIGKILL'), 40_000)
  await exited
  clearTimeout(patience)
  return child.exitCode
}

/** Waits for a status; fails early with the reason when the workload is in error instead. */
export async function untilStatus(daemon: DaemonProcess, name: string, wanted: string): Promise<void> {
  const ask = async () => {
    const { status, status_context: context } = await daemon.api.call('getWorkload', { params: { name } })
    if (status === 'error' && wanted !== 'error') throw new Error(`${name} is in error: ${context}`)
    return status === wanted
  }
  await until(`${name} to be ${wanted}`, ask, 180_000)
}

export async function untilGone(daemon: DaemonProcess, name: string): Promise<void> {
  const ask = async () => {
    const { workloads } = await daemon.api.call('listWorkloads', { query: { all: true } })
    return !workloads.some((workload) => workload.name === name)
  }
  await until(`${name} to be gone`, ask, 120_000)
}

export async function daemonLog(home: Home): Promise<string> {
  return readFile(join(home.dir, 'state', 'toolhaven', 'daemon.log'), 'utf8')
}
