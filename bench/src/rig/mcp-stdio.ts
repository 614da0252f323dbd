import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { endWithBench } from './end-with-bench.ts'
import { INITIALIZE, INITIALIZED, type McpCall, type McpSession, mustHaveResult } from './mcp.ts'

export interface StdioSession extends McpSession {
  pid: number
}

/** Starts a server and speaks to it over its pipes with nothing in between. */
export async function openStdio(
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<StdioSession> {
  const child = spawn(command, args, { env: { ...env }, stdio: ['pipe', 'pipe', 'pipe'] })
  endWithBench(child)
  const exited = once(child, 'exit')
  const waiting = new Map<string, PromiseWithResolvers<string>>()
  let errors = ''
  child.stderr.on('data', (chunk: Buffer) => (errors = (errors + chunk.toString()).slice(-2000)))
  child.stdin.on('error', () => {}) // the exit below says more
  child.once('exit', (code) => {
    for (const { reject } of waiting.values()) reject(new Error(`${command} ended with ${code}: ${errors}`))
  })
  createInterface({ input: child.stdout }).on('line', (line) => {
    const id = /"id":(\d+)/.exec(line)?.[1] ?? ''
    waiting.get(id)?.resolve(line)
    waiting.delete(id)
  })
  let next = 0
  const call = async (message: McpCall) => {
    const id = next++
    const answer = Promise.withResolvers<string>()
    waiting.set(String(id), answer)
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...message })}\n`)
    return mustHaveResult(await answer.promise)
  }
  const close = async () => {
    child.stdin.end()
    const patience = setTimeout(() => child.kill('SIGKILL'), 10_000)
    await exited
    clearTimeout(patience)
  }
  await call(INITIALIZE)
  child.stdin.write(`${JSON.stringify(INITIALIZED)}\n`)
  return { pid: child.pid ?? 0, call, [Symbol.asyncDispose]: close }
}
