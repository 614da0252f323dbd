import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { get } from 'node:http'
import { createServer } from 'node:net'
import { performance } from 'node:perf_hooks'
import { setTimeout as delay } from 'node:timers/promises'
import { endWithBench } from './end-with-bench.ts'
import { cpuMs } from './proc.ts'

export interface ServerProcess extends AsyncDisposable {
  pid: number
  port: number
  baseUrl: string
  /** From just before the spawn to the first 200. */
  readyMs: number
  /** Processor time of the process itself in that time: the part that other programs of the machine do not lengthen. */
  readyCpuMs: number
}

export interface ServerCommand {
  command: string
  args: readonly string[]
  env: Readonly<Record<string, string>>
  port: number
  /** Requested until it answers. `anyStatus` is for programs without such a page that listen. */
  path: string
  anyStatus?: boolean
}

const DEADLINE_MS = 60_000

/** Starts a program that listens on a port chosen beforehand and waits until it answers. */
export async function startServer({
  command,
  args,
  env,
  port,
  path,
  anyStatus = false,
}: ServerCommand): Promise<ServerProcess> {
  const begun = performance.now()
  const child = spawn(command, args, { env: { ...env }, stdio: ['ignore', 'pipe', 'pipe'] })
  endWithBench(child)
  const exited = once(child, 'exit')
  let output = ''
  const keep = (chunk: Buffer) => (output = (output + chunk.toString()).slice(-4000))
  child.stdout.on('data', keep)
  child.stderr.on('data', keep)
  const stop = async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM')
    const patience = setTimeout(() => child.kill('SIGKILL'), 30_000)
    await exited
    clearTimeout(patience)
  }
  for (;;) {
    const status = await statusOf(port, path)
    if (status === 200 || (anyStatus && status !== undefined)) break
    if (child.exitCode !== null) throw new Error(`${command} ${args[0]} ended with ${child.exitCode}: ${output}`)
    if (performance.now() - begun > DEADLINE_MS) {
      await stop()
      throw new Error(`${command} ${args[0]} does not answer: ${output}`)
    }
    await delay(3)
  }
  const readyMs = performance.now() - begun
  const pid = child.pid ?? 0
  return {
    pid,
    port,
    baseUrl: `http://127.0.0.1:${port}`,
    readyMs,
    readyCpuMs: cpuMs(pid),
    [Symbol.asyncDispose]: stop,
  }
}

function statusOf(port: number, path: string): Promise<number | undefined> {
  return new Promise((resolve) => {
    const request = get({ host: '127.0.0.1', port, path, agent: false }, (response) => {
      response.destroy()
      resolve(response.statusCode)
    })
    request.once('error', () => resolve(undefined))
  })
}

/** Ports that were free a moment ago, all different. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer())
  const ports: number[] = []
  for (const server of servers) {
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const address = server.address()
    if (address !== null && typeof address === 'object') ports.push(address.port)
  }
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))))
  return ports
}

export async function freePort(): Promise<number> {
  const [port] = await freePorts(1)
  if (port === undefined) throw new Error('no port is free')
  return port
}
