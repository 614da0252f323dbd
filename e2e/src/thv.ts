import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Home } from './home.ts'
import { withoutProgress } from './without-progress.ts'

const THV = fileURLToPath(new URL('../../apps/cli/dist/thv.mjs', import.meta.url))

export interface ThvResult {
  code: number | null
  stdout: string
  stderr: string
}

export interface ThvOptions {
  input?: string
  env?: Readonly<Record<string, string>>
  /** Presses Ctrl-C once the output so far is as wanted. */
  interruptWhen?: (output: string) => boolean
  /** Presses Ctrl-C then. */
  interruptAfter?: Promise<unknown>
  /** What Node gets before the arguments. Default: the built program. */
  program?: readonly string[]
}

/** Runs `thv` in the home's folder as a user would from a script, to its end. */
export async function thv(home: Home, args: readonly string[], options: ThvOptions = {}): Promise<ThvResult> {
  const env = { ...home.env, ...options.env }
  const { program = ['--', THV] } = options
  const child = spawn(process.execPath, [...program, ...args], { env, cwd: home.dir, stdio: 'pipe', ...home.user })
  const result: ThvResult = { code: null, stdout: '', stderr: '' }
  let isInterrupted = false
  const read = (name: 'stdout' | 'stderr') => (chunk: Buffer) => {
    result[name] += chunk.toString()
    if (isInterrupted || !options.interruptWhen?.(result.stdout + result.stderr)) return
    isInterrupted = true
    child.kill('SIGINT')
  }
  child.stdout.on('data', read('stdout'))
  child.stderr.on('data', read('stderr'))
  void options.interruptAfter?.then(() => child.kill('SIGINT'))
  child.stdin.end(options.input ?? '')
  const patience = setTimeout(() => child.kill('SIGKILL'), 120_000)
  // 'close' comes after the last output.
  await once(child, 'close')
  clearTimeout(patience)
  if (child.signalCode === 'SIGKILL')
    throw new Error(`thv ${args.join(' ')} did not end; it said: ${result.stdout}${result.stderr}`)
  return { ...result, stderr: withoutProgress(result.stderr), code: child.exitCode }
}
