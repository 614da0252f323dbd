import '../css/logs.css'
import { useQuery } from '@tanstack/react-query'
import { createLazyRoute, getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { MOST_FOLLOWED } from '@toolhaven/contract/system'
import { messageOf } from '../api.ts'
import { Code } from '../parts/Code.tsx'
import { PageTitle } from '../parts/PageTitle.tsx'
import { Problem } from '../parts/Problem.tsx'
import { SearchField } from '../parts/SearchField.tsx'
import { workloadsQuery } from '../queries.ts'
import { downloadLog } from './download-log.ts'
import type { LogLine } from './log-buffer.ts'
import { LogControls } from './LogControls.tsx'
import { LogLines } from './LogLines.tsx'
import { chooseLines } from './merge-lines.ts'
import { nameColours } from './name-colours.ts'
import { ServerChoice } from './ServerChoice.tsx'
import { useMergedLog } from './use-merged-log.ts'

export const Route = createLazyRoute('/logs')({ component: MergedLogsPage })
const here = getRouteApi('/logs')

function MergedLogsPage() {
  const { servers } = here.useSearch()
  const { data: all, error } = useQuery(workloadsQuery)
  const known = all?.map(({ name }) => name).toSorted()
  return (
    <>
      <PageTitle title="Logs" />
      {error && !known && <Problem message={messageOf(error)} />}
      {known?.length === 0 && <p>There are no servers yet.</p>}
      {known && known.length > 0 && <MergedLogs known={known} chosen={chosenOf(servers, known)} />}
    </>
  )
}

/** A link may name servers that are gone. */
function chosenOf(servers: string | undefined, known: readonly string[]): string[] {
  const wanted = servers?.split(',')
  return known.filter((name) => wanted?.includes(name) ?? true).slice(0, MOST_FOLLOWED)
}

function MergedLogs({ known, chosen }: { known: readonly string[]; chosen: readonly string[] }) {
  const { previous = false, at, q = '', stream } = here.useSearch()
  const navigate = here.useNavigate()
  const { lines, problem } = useMergedLog(chosen, previous)
  const colours = useColours(chosen)
  const [isFollowing, setIsFollowing] = useState(at === undefined)
  const shown = chooseLines(lines, { q, stream })
  const linked = at === undefined ? -1 : shown.findIndex(({ time }) => time === at)
  const set = (change: Partial<ReturnType<typeof here.useSearch>>) =>
    navigate({ search: (before) => ({ ...before, ...change }), replace: true, resetScroll: false })
  return (
    <>
      <ServerChoice
        known={known}
        chosen={chosen}
        colours={colours}
        onChoose={(names) => set({ servers: names.length === known.length ? undefined : names.join(',') })}
      />
      {problem !== undefined && <Problem message={problem} />}
      <search className="filters">
        <SearchField text={q} onSearch={(text) => set({ q: text || undefined })} />
        <StreamChoice stream={stream} onChoose={(next) => set({ stream: next })} />
        <LogControls
          isPrevious={previous}
          onPrevious={(isPrevious) => set({ previous: isPrevious || undefined, at: undefined })}
          isFollowing={isFollowing}
          onFollow={setIsFollowing}
          onDownload={shown.length === 0 ? undefined : () => downloadLog('servers.log', shown)}
        />
      </search>
      <p role="status" className="muted">
        {saysOf({ chosen: chosen.length, lines: lines.length, shown: shown.length, isPrevious: previous })}
      </p>
      {shown.length > 0 && (
        <LogLines
          lines={shown}
          colours={colours}
          shown={linked === -1 ? undefined : linked}
          isFollowing={isFollowing && !previous}
          onFollow={setIsFollowing}
        />
      )}
      {chosen.length > 0 && (
        <Code
          text={`thv logs ${chosen.join(' ')} --timestamps ${previous ? '--previous' : '--follow'}`}
          label="Copy the command that shows the same"
        />
      )}
    </>
  )
}

type Stream = LogLine['stream']

function StreamChoice({ stream, onChoose }: { stream: Stream; onChoose: (stream: Stream) => void }) {
  return (
    <label>
      Stream
      <select
        value={stream ?? ''}
        onChange={({ target: { value } }) => onChoose(value === 'stdout' || value === 'stderr' ? value : undefined)}
      >
        <option value="">Both</option>
        <option>stdout</option>
        <option>stderr</option>
      </select>
    </label>
  )
}

interface Counts {
  chosen: number
  lines: number
  shown: number
  isPrevious: boolean
}

function saysOf({ chosen, lines, shown, isPrevious }: Counts): string {
  if (chosen === 0) return 'Choose at least one server.'
  if (lines === 0) return isPrevious ? 'There is no output of a previous run.' : 'Nothing has been written yet.'
  return shown === lines ? `${lines} lines` : `${shown} of ${lines} lines`
}

/** A server keeps its colour while others are chosen beside it. */
function useColours(names: readonly string[]): ReadonlyMap<string, number> {
  const [colours, setColours] = useState(() => nameColours(new Map(), names))
  const isCurrent = colours.size === names.length && names.every((name) => colours.has(name))
  if (isCurrent) return colours
  const next = nameColours(colours, names)
  setColours(next)
  return next
}
