import { useEffect, useState } from 'react'
import { workloadLogLine } from '@toolhaven/contract/system'
import { api, messageOf } from '../api.ts'
import { useConnection } from '../live/connection.ts'
import type { ServerSentEvent } from '../live/read-events.ts'
import { type MergedLine, mergeLines, type NewLine } from './merge-lines.ts'
import { readBatches } from './read-batches.ts'

/** As many as wait for a reader of the stream, whose first lines come all at once. */
const EARLIER_LINES = 8_000

export interface MergedLog {
  lines: readonly MergedLine[]
  problem?: string
}

/** The output of several servers in the order of time, as it comes; of their previous lives, as it was. */
export function useMergedLog(names: readonly string[], isPrevious: boolean): MergedLog {
  const [log, setLog] = useState<MergedLog>({ lines: [] })
  const isLive = useConnection().state === 'live'
  const all = names.join(',')
  useEffect(() => {
    setLog({ lines: [] })
    if (!isLive || all === '') return
    const stop = new AbortController()
    const add = (added: readonly NewLine[]) => setLog(({ lines }) => ({ lines: mergeLines(lines, added) }))
    const read = isPrevious ? readPrevious : follow
    read(all.split(','), add, stop.signal).catch((error: unknown) => {
      if (!stop.signal.aborted) setLog(({ lines }) => ({ lines, problem: messageOf(error) }))
    })
    return () => stop.abort()
  }, [all, isPrevious, isLive])
  return log
}

type Add = (lines: readonly NewLine[]) => void

const tailFor = (names: readonly string[]) => String(Math.floor(EARLIER_LINES / names.length))

async function readPrevious(names: readonly string[], add: Add, signal: AbortSignal): Promise<void> {
  for (const workload of names) {
    const query = { previous: true, tail: tailFor(names) }
    const { lines } = await api.call('readLogs', { params: { name: workload }, query }, signal)
    if (signal.aborted) return
    add(lines.map((line) => ({ ...line, workload })))
  }
}

async function follow(names: readonly string[], add: Add, signal: AbortSignal): Promise<void> {
  const query = { workloads: names.join(','), tail: tailFor(names) }
  const response = await api.open('followSeveralLogs', { query }, signal)
  await readBatches(response, parseLine, add, signal)
}

function parseLine({ event, data }: ServerSentEvent): NewLine | undefined {
  return event === 'line' ? workloadLogLine.parse(JSON.parse(data)) : undefined
}
