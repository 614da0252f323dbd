import { MAX_LOG_LINES, readWorkloadLogs } from '@toolhaven/core/workloads/read'
import type { LogLine, LogQuery } from '@toolhaven/core/ports/stores'
import type { ApiDeps } from '../api-deps.ts'
import { eventStream } from '../event-stream.ts'

export interface LogRange {
  tail?: number | undefined
  since?: string | undefined
}

export function logQueryOf({ tail = MAX_LOG_LINES, since }: LogRange): LogQuery {
  return { lines: tail, since: since === undefined ? undefined : Date.parse(since) }
}

/** Sends the existing lines, then each new one. */
export async function followLogs(
  deps: ApiDeps,
  name: string,
  { details = false, ...range }: LogRange & { details?: boolean | undefined },
  signal: AbortSignal,
): Promise<Response> {
  const { lines: earlier } = await readWorkloadLogs(deps.workloads, name, logQueryOf(range))
  const limit = AbortSignal.any([signal, deps.shutdown])
  return eventStream(limit, (send) => {
    const stop = new AbortController()
    const sendLine = (line: LogLine) => send('line', JSON.stringify(details ? line : line.text))
    for (const line of earlier) sendLine(line)
    void pump(deps, name, sendLine, AbortSignal.any([limit, stop.signal]))
    return () => stop.abort()
  })
}

/** The same for several workloads in one stream, because a browser allows only six connections to an address for all its pages. */
export function followSeveralLogs(
  deps: ApiDeps,
  { workloads: names, ...range }: LogRange & { workloads: readonly string[] },
  signal: AbortSignal,
): Response {
  const { workloads } = deps
  for (const name of names) workloads.book.get(name)
  const limit = AbortSignal.any([signal, deps.shutdown])
  return eventStream(limit, (send) => {
    const stop = new AbortController()
    const until = AbortSignal.any([limit, stop.signal])
    const followOne = async (workload: string) => {
      const sendLine = (line: LogLine) => send('line', JSON.stringify({ workload, ...line }))
      const { lines: earlier } = await readWorkloadLogs(workloads, workload, logQueryOf(range))
      if (until.aborted) return
      for (const line of earlier) sendLine(line)
      await pump(deps, workload, sendLine, until)
    }
    // A workload that was removed in the meantime sends no more lines; the others continue.
    for (const name of new Set(names)) followOne(name).catch(() => undefined)
    return () => stop.abort()
  })
}

async function pump(
  { workloads: { logs, masker } }: ApiDeps,
  name: string,
  sendLine: (line: LogLine) => void,
  signal: AbortSignal,
): Promise<void> {
  try {
    for await (const line of logs.follow(name, signal)) sendLine({ ...line, text: masker.mask(line.text) })
  } catch {
    // The reader left or the log was removed: the stream has nothing more to say.
  }
}
