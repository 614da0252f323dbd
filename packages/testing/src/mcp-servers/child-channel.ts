import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import type { StdioChannel } from '@toolhaven/core/ports/runtime'
import { FIXTURE_SERVER, MODERN_SERVER } from './fixture-source.ts'

export interface ChildServer {
  channel: StdioChannel
  start: () => Promise<void>
  /** Kills the process and resolves when it is gone. */
  kill: () => Promise<void>
  readonly pid: number | undefined
}

/** A plain child process behind the channel of the runtime port, not started yet. */
export function childServer(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  file = FIXTURE_SERVER,
  program = process.execPath,
): ChildServer {
  let child: ChildProcess | undefined
  const channel: StdioChannel = {
    onStdout: () => {},
    onStderr: () => {},
    onClose: () => {},
    async write(data) {
      const { stdin } = child ?? {}
      if (stdin?.writable !== true) throw new Error('the process is gone')
      const chunk = typeof data === 'string' ? data : Buffer.concat(data)
      if (!stdin.write(chunk)) await Promise.race([once(stdin, 'drain'), once(stdin, 'close')])
    },
    pause: () => child?.stdout?.pause(),
    resume: () => child?.stdout?.resume(),
    close: () => child?.stdin?.end(),
  }
  return {
    channel,
    get pid() {
      return child?.pid
    },
    async start() {
      const started = spawn(program, [file, ...args], { env: { ...env }, stdio: 'pipe' })
      child = started
      started.stdout.on('data', (chunk: Buffer) => channel.onStdout(chunk))
      started.stderr.on('data', (chunk: Buffer) => channel.onStderr(chunk))
      // Writing to a process that just died fails here. `close` reports it too.
      started.stdin.on('error', () => {})
      started.once('close', (code) => channel.onClose(code === 0 ? undefined : new Error(`exit code ${code}`)))
      await once(started, 'spawn')
    },
    async kill() {
      if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
      const closed = once(child, 'close')
      child.kill('SIGKILL')
      await closed
    },
  }
}

export interface HttpServerProcess {
  url: string
  port: number
  kill: () => Promise<void>
}

/** The fixture server of the newest revision, as a process behind a channel, not started yet. */
export function modernServer(args: readonly string[]): ChildServer {
  return childServer(args, {}, MODERN_SERVER)
}

/** The fixture server of the newest revision, listening. */
export function startModernServer(
  args: readonly string[] = [],
  transport: 'sse' | 'streamable-http' = 'streamable-http',
): Promise<HttpServerProcess> {
  return startHttpServer(transport, args, MODERN_SERVER)
}

/** The fixture server with one of its HTTP transports, listening. */
export async function startHttpServer(
  transport: 'sse' | 'streamable-http',
  args: readonly string[] = [],
  file = FIXTURE_SERVER,
): Promise<HttpServerProcess> {
  const child = childServer([`--transport=${transport}`, ...args], {}, file)
  const port = await portOf(child, /listening on (\d+)/)
  return { port, url: `http://127.0.0.1:${port}${transport === 'sse' ? '/sse' : '/mcp'}`, kill: () => child.kill() }
}

/** Starts a server and waits until it reports its port. */
export async function portOf({ channel, start }: ChildServer, announcement: RegExp): Promise<number> {
  const listening = Promise.withResolvers<number>()
  let said = ''
  channel.onStderr = (chunk) => {
    said += Buffer.from(chunk).toString()
    const port = announcement.exec(said)?.[1]
    if (port !== undefined) listening.resolve(Number(port))
  }
  channel.onClose = () => listening.reject(new Error(`the server did not start: ${said}`))
  await start()
  return listening.promise
}
