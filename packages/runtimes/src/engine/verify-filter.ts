import { readFile, stat } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { Backoff } from '@toolhaven/contract/backoff'
import { fileIdentity, type InstanceHandle } from '@toolhaven/core/ports/runtime'
import { FILTERED_BY, IN_VOLUME } from './container-guard.ts'
import type { Container } from './container-state.ts'
import { inspectContainer } from './containers.ts'
import type { EngineClient } from './engine-client.ts'
import { pidHere } from './pid-here.ts'

/** The engine starts the program at once, but a busy machine may run it later. */
const PATIENCE_MS = 5_000
const PAUSES = { firstMs: 1, longestMs: 100 }

/** Whether a container that was just started lacks our filter. Unknown where its process cannot be seen. */
export async function lacksFilter(
  client: EngineClient,
  handle: InstanceHandle,
  { Config }: Container,
  engineFilters: number,
  signal: AbortSignal,
): Promise<boolean> {
  const program = Config.Labels?.[FILTERED_BY]
  if (program === undefined) return false
  const started = await inspectContainer(client, handle.id, signal)
  const pid = await pidHere(handle.id, started?.State.Pid)
  if (pid === undefined) return false
  const deadline = AbortSignal.timeout(PATIENCE_MS)
  const backoff = new Backoff(PAUSES)
  while (!(await isFiltered(pid, program, engineFilters))) {
    if (deadline.aborted || signal.aborted) return true
    await delay(backoff.next())
  }
  return false
}

/** True also for a process that has ended: there is nothing left to confine. */
export async function isFiltered(pid: number, program: string, engineFilters: number): Promise<boolean> {
  const status = await statusOf(pid)
  if (status === undefined) return true
  const own = filterCount(status)
  if (own === undefined) return /^Seccomp:\s*2$/m.test(status)
  const parent = await statusOf(Number(/^PPid:\s*(\d+)/m.exec(status)?.[1]))
  // The filters of the engine itself are inherited.
  const expected = (filterCount(parent ?? '') ?? 0) + engineFilters + 1
  return own >= expected && (await runs(pid, program))
}

/**
 * A program can raise the number of its filters, but not pass for another file. Only root and the same user can look.
 */
async function runs(pid: number, program: string): Promise<boolean> {
  if (program === IN_VOLUME) return true
  const file = await stat(`/proc/${pid}/exe`, { bigint: true }).catch(() => undefined)
  return file === undefined || fileIdentity(file) === program
}

/** Undefined for kernels before 5.9, which do not report it. */
function filterCount(status: string): number | undefined {
  const count = /^Seccomp_filters:\s*(\d+)/m.exec(status)?.[1]
  return count === undefined ? undefined : Number(count)
}

async function statusOf(pid: number): Promise<string | undefined> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => undefined)
  // A process that ended and waits for its parent has no filters any more.
  return status === undefined || /^State:\s*[ZX]/m.test(status) ? undefined : status
}
