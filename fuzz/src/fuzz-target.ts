import { Worker } from 'node:worker_threads'
import * as z from 'zod'
import type { Failure, Report, Task } from './messages.ts'
import type { Target } from './target.ts'

const MOST_MEMORY_MB = 768
const CURRENT_BYTES = 1024 * 1024
/**
 * Longer than the worker's own limit for one input, which ends everything that only waits, and longer than a busy
 * machine takes to start a daemon.
 */
const STALLED_MS = 300_000

export interface Result {
  executions: number
  /** Inputs with outcomes that no kept input has. */
  fresh: Extract<Report, { kind: 'done' }>['fresh']
  outcomes: number
  failure: Failure | undefined
}

/**
 * Fuzzes one target in its own thread. A thread that computes without end or takes too much memory is ended, and the
 * current input is the failure.
 */
export async function fuzzTarget(
  { name }: Pick<Target, 'name'>,
  limits: Pick<Task, 'seed' | 'milliseconds'>,
  onProgress: (executions: number, outcomes: number) => void,
): Promise<Result> {
  const current = new SharedArrayBuffer(CURRENT_BYTES)
  const workerData: Task = { target: name, current, ...limits }
  const worker = new Worker(new URL('worker.ts', import.meta.url), {
    workerData,
    resourceLimits: { maxOldGenerationSizeMb: MOST_MEMORY_MB },
  })
  const result: Result = { executions: 0, fresh: [], outcomes: 0, failure: undefined }
  const ended = Promise.withResolvers<void>()
  const fail = (error: string) => {
    const input = inputIn(current)
    result.failure ??= { input, error: input === undefined ? `the target could not be opened: ${error}` : error }
    ended.resolve()
  }
  let stalled = setTimeout(() => fail('it hangs'), STALLED_MS)
  let isDone = false
  worker.on('message', (report: Report) => {
    isDone ||= report.kind === 'done'
    clearTimeout(stalled)
    stalled = setTimeout(() => fail('it hangs'), STALLED_MS)
    Object.assign(result, report)
    if (report.kind === 'progress') onProgress(report.executions, report.outcomes)
  })
  worker.on('error', (error) => fail(error instanceof Error ? (error.stack ?? error.message) : String(error)))
  worker.on('exit', (code) => (isDone ? ended.resolve() : fail(`the worker ended with ${code}`)))
  await ended.promise
  clearTimeout(stalled)
  await worker.terminate()
  return result
}

/** Undefined while the target is being opened. */
function inputIn(current: SharedArrayBuffer): Failure['input'] {
  const bytes = Buffer.from(current)
  const length = bytes.readUInt32LE(0)
  return length === 0 ? undefined : z.json().parse(JSON.parse(bytes.toString('utf8', 4, 4 + length)))
}
