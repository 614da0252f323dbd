import { useEffect, useState } from 'react'
import { logLine } from '@toolhaven/contract/system'
import { api, messageOf } from '../api.ts'
import { useConnection } from '../live/connection.ts'
import { type LogLine, withLines } from './log-buffer.ts'
import { readBatches } from './read-batches.ts'

/** As many as the API gives at once. */
const EARLIER_LINES = 10_000

export interface Log {
  lines: readonly LogLine[]
  problem?: string
}

/** The output of a server as it comes; of its previous life, as it was. Begins again when the daemon is back. */
export function useLog(name: string, isPrevious: boolean): Log {
  const [log, setLog] = useState<Log>({ lines: [] })
  const isLive = useConnection().state === 'live'
  useEffect(() => {
    if (!isLive) return
    const stop = new AbortController()
    const read = isPrevious ? readPrevious : follow
    read(name, (next) => setLog(next), stop.signal).catch((error: unknown) => {
      if (!stop.signal.aborted) setLog((before) => ({ ...before, problem: messageOf(error) }))
    })
    return () => stop.abort()
  }, [name, isPrevious, isLive])
  return log
}

type SetLog = (next: (before: Log) => Log) => void

async function readPrevious(name: string, set: SetLog, signal: AbortSignal): Promise<void> {
  const query = { previous: true, tail: String(EARLIER_LINES) }
  const { lines } = await api.call('readLogs', { params: { name }, query }, signal)
  set(() => ({ lines }))
}

async function follow(name: string, set: SetLog, signal: AbortSignal): Promise<void> {
  const query = { details: true, tail: String(EARLIER_LINES) }
  const response = await api.open('followLogs', { params: { name }, query }, signal)
  set(() => ({ lines: [] }))
  await readBatches(
    response,
    ({ event, data }) => (event === 'line' ? logLine.parse(JSON.parse(data)) : undefined),
    (added) => set(({ lines }) => ({ lines: withLines(lines, added) })),
    signal,
  )
}
