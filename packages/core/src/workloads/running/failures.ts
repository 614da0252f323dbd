import { backoffMs } from '@toolhaven/contract/backoff'
import { describeError, isThvError } from '../../errors.ts'
import { EndedEarly } from './ended-early.ts'
import { NeedsLogin } from './needs-login.ts'
import { LAST_OUTPUT, lastLines, lastWords, noteInLog } from './last-words.ts'
import { MAX_FIRST_EXITS, MAX_QUICK_EXITS, type Failure } from './observed.ts'
import type { SupervisorDeps } from './supervisor-deps.ts'

type Deps = Pick<SupervisorDeps, 'book' | 'clock' | 'logs' | 'masker' | 'logger' | 'exits'>

/** Thrown when the reason of a failure is already stored. */
export class Recorded extends Error {}

/** A server that ran this long before it ended has started successfully. */
export const STABLE_AFTER_MS = 60_000

const PAUSES = { firstMs: 1_000, longestMs: 60_000 }

/** Records why an attempt failed and when to try again. */
export function recordFailure(deps: Deps, name: string, error: unknown, runtimeDown?: string): void {
  const entry = deps.book.find(name)
  if (!entry) return
  const attempts = entry.observed.attempts + 1
  const retryAt = deps.clock.now() + backoffMs(attempts, PAUSES)
  if (!isThvError(error))
    deps.logger.warn('workload failed', { workload: name, reason: deps.masker.mask(describeError(error)) })
  if (runtimeDown !== undefined) {
    const failure: Failure = { message: runtimeDown, retryAt, isError: false }
    deps.book.observe(name, { runtimeDown, attempts, failure, instance: 'unknown' })
    return
  }
  // An attempt that can never succeed is repeated only after a change.
  const isFinal = error instanceof NeedsLogin || (isThvError(error, 'invalid') && entry.stored.wanted === 'running')
  const failure: Failure = {
    message: deps.masker.mask(error instanceof NeedsLogin ? error.context : describeError(error)),
    isError: !(error instanceof EndedEarly),
    ...(!isFinal && { retryAt }),
  }
  // An unreachable remote server is tried every minute, which need not be logged every time.
  if (failure.message !== entry.observed.failure?.message && !(error instanceof NeedsLogin)) {
    deps.exits.add(name, { kind: 'not-started', reason: failure.message, last_lines: [] })
    noteInLog(deps, name, `the server could not be started: ${failure.message}`)
  }
  deps.book.observe(name, { attempts, failure }, ['runtimeDown'])
}

/** We ended the server. It starts again after a pause, or only on request. */
export function recordRestart(
  deps: Deps,
  name: string,
  { reason, isFinal = false }: { reason: string; isFinal?: boolean },
): void {
  const attempts = (deps.book.find(name)?.observed.attempts ?? 0) + 1
  deps.exits.add(name, { kind: 'unresponsive', reason, last_lines: [] })
  noteInLog(deps, name, `the server is ${isFinal ? 'ended' : 'restarted'}: ${reason}`)
  const next = isFinal ? {} : { retryAt: deps.clock.now() + backoffMs(attempts, PAUSES) }
  deps.book.observe(name, { attempts, failure: { message: reason, ...next, isError: isFinal } })
}

/** The server ended on its own. The first few times it is just restarted; after that it is in error, with its last output. */
export async function recordExit(
  deps: Deps,
  name: string,
  exit: { exitCode: number; oomKilled: boolean },
): Promise<void> {
  const words = await lastWords(deps, name)
  const last_lines = await lastLines(deps.logs, name)
  const how = exit.oomKilled
    ? 'was killed because it used more memory than allowed'
    : `exited with code ${exit.exitCode}`
  const entry = deps.book.find(name)
  if (!entry) return
  const { connectedAt, hasWorked = false, attempts: before } = entry.observed
  const now = deps.clock.now()
  const wasStable = connectedAt !== undefined && now - connectedAt >= STABLE_AFTER_MS
  const attempts = wasStable ? 1 : before + 1
  const pause = backoffMs(attempts, PAUSES)
  const failure: Failure = {
    message: `the server ${how}${words === undefined ? ' and wrote nothing' : `${LAST_OUTPUT}${words}`}`,
    retryAt: now + pause,
    isError: attempts >= (hasWorked ? MAX_QUICK_EXITS : MAX_FIRST_EXITS),
  }
  deps.exits.add(name, {
    ...{ kind: 'exited', reason: `the server ${how}`, exit_code: exit.exitCode, last_lines },
    ...(exit.oomKilled && { out_of_memory: true }),
  })
  noteInLog(deps, name, `the server ${how}; it starts again in ${pause / 1000} s`)
  deps.book.observe(name, { attempts, failure }, ['runtimeDown', 'connectedAt'])
}
