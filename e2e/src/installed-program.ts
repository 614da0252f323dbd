import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { until } from '@toolhaven/testing/testbed/until'
import type { Home } from './home.ts'

/** Starts a program of the user's machine that keeps running. It is ready when it has said so. */
export async function startProgram(
  home: Home,
  program: string,
  args: readonly string[],
  ready: string,
): Promise<AsyncDisposable> {
  const child = spawn(program, args, { env: home.env, cwd: home.dir, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()))
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.kill('SIGTERM')
    await ended
  }
  try {
    await until(
      `${program} to say "${ready}"`,
      () => {
        if (child.exitCode !== null) throw new Error(`${program} ended with ${child.exitCode}: ${output}`)
        return output.includes(ready)
      },
      90_000,
    )
  } catch (error) {
    await stop()
    throw error
  }
  return { [Symbol.asyncDispose]: stop }
}
