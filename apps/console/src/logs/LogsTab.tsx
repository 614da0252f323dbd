import '../css/logs.css'
import { createLazyRoute, getRouteApi, Link } from '@tanstack/react-router'
import { useState } from 'react'
import { Problem } from '../parts/Problem.tsx'
import { SearchField } from '../parts/SearchField.tsx'
import { downloadLog } from './download-log.ts'
import { findLines, type LogLine, nextPlace } from './log-buffer.ts'
import { LogControls } from './LogControls.tsx'
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
  const navigate = here.useNavigate()
  const choose = (isPrevious: boolean) =>
    navigate({ search: ({ q }) => ({ q, ...(isPrevious && { previous: true }) }), replace: true })
  const show = (next: number | undefined) => {
    setIsFollowing(false)
    setPlace(next)
  }
  return (
    <>
      {problem !== undefined && <Problem message={problem} />}
      <div className="filters">
        <Find lines={lines} place={place} onShow={show} />
        <LogControls
          isPrevious={previous}
          onPrevious={choose}
          isFollowing={isFollowing}
          onFollow={setIsFollowing}
          onDownload={lines.length === 0 ? undefined : () => downloadLog(`${name}.log`, lines)}
        />
        <Link to="/logs" className="button">
          With other servers
        </Link>
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
