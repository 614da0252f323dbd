import { spawn, type SpawnOptions } from 'node:child_process'
import { once } from 'node:events'
import { open, readFile } from 'node:fs/promises'
import { Unavailable } from './unavailable.ts'
import { until } from './until.ts'

export interface ServiceOptions {
  command: string
  args: readonly string[]
  env?: Record<string, string>
  uid?: number
  gid?: number
  logFile: string
  /** Signals go to its whole process group: for programs that restart themselves and do not pass signals on. */
  group?: boolean
  /** Whether it answers. Repeated until it does. */
  isReady: () => Promise<boolean>
}

export interface Service extends AsyncDisposable {
  pid: number
  /** SIGKILL, as a power cut would. */
  kill: () => Promise<void>
}

/** Starts a long-running program and waits until it answers. `asyncDispose` waits for its end. */
export async function startService(options: ServiceOptions): Promise<Service> {
  const { command, args, logFile } = options
  const log = await open(logFile, 'a')
  const spawnOptions: SpawnOptions = {
    stdio: ['ignore', log.fd, log.fd],
    detached: options.group ?? false,
    ...(options.env === undefined ? {} : { env: options.env }),
    ...(options.uid === undefined ? {} : { uid: options.uid }),
    ...(options.gid === undefined ? {} : { gid: options.gid }),
  }
  const child = spawn(command, args, spawnOptions)
  const started = await Promise.race([
    once(child, 'spawn').then(() => undefined),
    once(child, 'error').then(([error]) => String(error)),
  ])
  await log.close()
  if (started !== undefined) throw new Unavailable(`${command} cannot be started: ${started}`)
  const { pid } = child
  if (pid === undefined) throw new Unavailable(`${command} has no process`)
  let ended = false
  const end = once(child, 'exit').then(() => (ended = true))
  const send = (signal: 'SIGTERM' | 'SIGKILL') => {
    if (options.group === true) process.kill(-pid, signal)
    else child.kill(signal)
  }
  const stop = async (signal: 'SIGTERM' | 'SIGKILL') => {
    if (!ended) send(signal)
    const timer = setTimeout(() => send('SIGKILL'), 20_000)
    await end
    clearTimeout(timer)
  }
  try {
    await until(`${command} answers`, async () => {
      if (ended) throw new Unavailable(`${command} ended at once: ${await lastLines(logFile)}`)
      return (await options.isReady()) || undefined
    })
  } catch (error) {
    await stop('SIGKILL')
    throw error instanceof Unavailable
      ? error
      : new Unavailable(`${command} does not answer: ${await lastLines(logFile)}`, { cause: error })
  }
  return { pid, kill: () => stop('SIGKILL'), [Symbol.asyncDispose]: () => stop('SIGTERM') }
}

async function lastLines(file: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch(() => '')
  return text.trim().split('\n').slice(-3).join(' | ')
}
