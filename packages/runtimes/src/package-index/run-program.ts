import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import type { Readable } from 'node:stream'

export interface ProgramResult {
  exitCode: number
  stdout: string
  stderr: string
}

export interface ProgramOptions {
  env: Readonly<Record<string, string | undefined>>
  cwd: string
}

/**
 * Runs a program to its end, without a shell and without stdin. Rejects only when it cannot be started or the signal
 * aborts.
 */
export async function runProgram(
  program: string,
  args: readonly string[],
  { env, cwd }: ProgramOptions,
  signal: AbortSignal,
): Promise<ProgramResult> {
  signal.throwIfAborted()
  const child = spawn(program, args, { cwd, env: { ...env }, stdio: ['ignore', 'pipe', 'pipe'], shell: false })
  return await collectOutput(child, () => child.kill('SIGKILL'), signal)
}

export async function collectOutput(
  child: ChildProcess,
  kill: () => void,
  signal: AbortSignal,
): Promise<ProgramResult> {
  const stdout = keepLast(child.stdout)
  const stderr = keepLast(child.stderr)
  signal.addEventListener('abort', kill)
  if (signal.aborted) kill()
  try {
    const exitCode = await new Promise<number>((resolve, reject) => {
      child.once('error', reject)
      child.once('close', (code) => resolve(code ?? KILLED))
    })
    signal.throwIfAborted()
    return { exitCode, stdout: stdout(), stderr: stderr() }
  } finally {
    signal.removeEventListener('abort', kill)
  }
}

const KILLED = 137
/** The largest answer that is needed is the list of versions of one package. */
const MAX_OUTPUT_BYTES = 8 * 1024 * 1024

function keepLast(stream: Readable | null): () => string {
  const chunks: Buffer[] = []
  let size = 0
  stream?.on('data', (chunk: Buffer) => {
    chunks.push(chunk)
    size += chunk.length
    while (size > MAX_OUTPUT_BYTES) size -= chunks.shift()?.length ?? size
  })
  return () => Buffer.concat(chunks).toString('utf8')
}
