import '../css/logs.css'
import { createLazyRoute, getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { Problem } from '../parts/Problem.tsx'
import { saveFile } from '../parts/save-file.ts'
import { SearchField } from '../parts/SearchField.tsx'
import { findLines, type LogLine, nextPlace } from './log-buffer.ts'
import { LogLines } from './LogLines.tsx'
import { useLog } from './use-log.ts'

export const Route = createLazyRoute('/servers/$name/logs')({ component: LogsTab })
const here = getRouteApi('/servers/$name/logs')

function LogsTab() {
  const { name } = here.useParams()
  const { previous = false, at } = here.useSearch()
  const { lines, problem } = useLog(name, previous)
  const [isFollowing, setIsFollowing] = useState(at === undefined)
  const [place, setPlace] = useState<number>()
  // A link names a line by its time: its number changes when old lines go.
  const linked = at === undefined ? -1 : lines.findIndex(({ time }) => time === at)
  const show = (next: number | undefined) => {
    setIsFollowing(false)
    setPlace(next)
  }
  return (
    <>
      {problem !== undefined && <Problem message={problem} />}
      <div className="filters">
        <Find lines={lines} place={place} onShow={show} />
        <Controls name={name} lines={lines} isFollowing={isFollowing} onFollow={setIsFollowing} />
      </div>
      {lines.length === 0 ? (
        <p className="muted">
          {previous ? 'There is no output of a previous run.' : 'The server has written nothing yet.'}
        </p>
      ) : (
        <LogLines
          lines={lines}
          shown={place ?? (linked === -1 ? undefined : linked)}
          isFollowing={isFollowing}
          onFollow={setIsFollowing}
        />
      )}
    </>
  )
}

interface FindProps {
  lines: readonly LogLine[]
  place: number | undefined
  onShow: (place: number | undefined) => void
}

function Find({ lines, place = -1, onShow }: FindProps) {
  const { q = '' } = here.useSearch()
  const navigate = here.useNavigate()
  const places = findLines(lines, q)
  const set = (text: string) =>
    navigate({ search: (before) => ({ ...before, q: text || undefined }), replace: true, resetScroll: false })
  const step = (by: 1 | -1) => onShow(nextPlace(places, place, by))
  return (
    <>
      <SearchField
        text={q}
        onSearch={set}
        onKeyDown={(event) => event.key === 'Enter' && step(event.shiftKey ? -1 : 1)}
      />
      <button type="button" disabled={places.length === 0} onClick={() => step(-1)}>
        Previous
      </button>
      <button type="button" disabled={places.length === 0} onClick={() => step(1)}>
        Next
      </button>
      <span role="status" className="muted">
        {q !== '' && `${places.includes(place) ? `${places.indexOf(place) + 1} of ` : ''}${places.length} found`}
      </span>
    </>
  )
}

interface ControlsProps {
  name: string
  lines: readonly LogLine[]
  isFollowing: boolean
  onFollow: (isFollowing: boolean) => void
}

function Controls({ name, lines, isFollowing, onFollow }: ControlsProps) {
  const { previous = false } = here.useSearch()
  const navigate = here.useNavigate()
  const choose = (value: string) =>
    navigate({ search: ({ q }) => ({ q, ...(value === 'previous' && { previous: true }) }), replace: true })
  return (
    <>
      <label>
        Run
        <select value={previous ? 'previous' : 'latest'} onChange={(event) => choose(event.target.value)}>
          <option value="latest">Latest</option>
          <option value="previous">Previous</option>
        </select>
      </label>
      {!previous && (
        <button type="button" aria-pressed={isFollowing} onClick={() => onFollow(!isFollowing)}>
          {isFollowing ? 'Pause' : 'Follow'}
        </button>
      )}
      <button type="button" disabled={lines.length === 0} onClick={() => download(`${name}.log`, lines)}>
        Download
      </button>
    </>
  )
}

function download(fileName: string, lines: readonly LogLine[]): void {
  const text = lines.map(({ time, stream, text }) => [time, stream, text].filter(Boolean).join(' ')).join('\n')
  saveFile(fileName, [`${text}\n`], 'text/plain')
}
