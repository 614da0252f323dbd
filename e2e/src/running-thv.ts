import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { until } from '@toolhaven/testing/testbed/until'
import type { Home } from './home.ts'
import type { ThvResult } from './thv.ts'

export const THV = fileURLToPath(new URL('../../apps/cli/dist/thv.mjs', import.meta.url))

/** A `thv` that keeps running until Ctrl-C. */
export interface RunningThv extends AsyncDisposable {
  /** Waits until its output so far matches. */
  says: (pattern: RegExp) => Promise<RegExpExecArray>
  /** Presses Ctrl-C and waits for its end. */
  interrupt: () => Promise<ThvResult>
  /** Asks it to end as a service manager would, and waits until it has. */
  terminate: () => Promise<ThvResult>
  /** Ends it as a crash would. */
  kill: () => Promise<void>
}

export function startThv(
  home: Home,
  args: readonly string[],
  timeoutMs = 90_000,
  program: readonly string[] = ['--', THV],
): RunningThv {
  const child = spawn(process.execPath, [...program, ...args], {
    env: home.env,
    cwd: home.dir,
    stdio: 'pipe',
    ...home.user,
  })
  const result: ThvResult = { code: null, stdout: '', stderr: '' }
  child.stdout.on('data', (chunk: Buffer) => (result.stdout += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (result.stderr += chunk.toString()))
  const closed = once(child, 'close')
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null
  const end = async (signal: NodeJS.Signals) => {
    if (!hasEnded()) child.kill(signal)
    const patience = setTimeout(() => child.kill('SIGKILL'), 60_000)
    await closed
    clearTimeout(patience)
    return { ...result, code: child.exitCode }
  }
  return {
    says: (pattern) =>
      until(
        `thv ${args.join(' ')} to say ${pattern}`,
        () => {
          const found = pattern.exec(result.stdout + result.stderr)
          if (!found && hasEnded())
            throw new Error(`thv ended with ${child.exitCode}: ${result.stdout}${result.stderr}`)
          return found ?? undefined
        },
        timeoutMs,
      ),
    interrupt: () => end('SIGINT'),
    terminate: () => end('SIGTERM'),
    kill: () => end('SIGKILL').then(() => undefined),
    [Symbol.asyncDispose]: () => end('SIGKILL').then(() => undefined),
  }
}
