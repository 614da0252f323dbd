import { Link } from '@tanstack/react-router'
import { useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useRef } from 'react'
import { ForeignText } from '../parts/ForeignText.tsx'
import type { LogLine } from './log-buffer.ts'

const LINE_HEIGHT = 20

export interface LogLinesProps {
  lines: readonly (LogLine & { workload?: string })[]
  /** Of the names of servers, where the lines are those of several. */
  colours?: ReadonlyMap<string, number>
  /** The line that a search or a link points to. */
  shown: number | undefined
  isFollowing: boolean
  onFollow: (isFollowing: boolean) => void
}

/** Only the lines in sight are in the page, however many there are. */
export function LogLines({ lines, colours, shown, isFollowing, onFollow }: LogLinesProps) {
  'use no memo' // The virtualizer keeps its state in an object that stays the same.
  const nameWidth = Math.max(0, ...[...(colours?.keys() ?? [])].map((name) => name.length))
  const box = useRef<HTMLDivElement>(null)
  const rows = useVirtualizer({
    count: lines.length,
    getScrollElement: () => box.current,
    estimateSize: () => LINE_HEIGHT,
    overscan: 20,
  })
  useEffect(() => {
    if (isFollowing) rows.scrollToIndex(lines.length - 1)
  }, [isFollowing, lines.length, rows])
  useEffect(() => {
    if (shown !== undefined) rows.scrollToIndex(shown, { align: 'center' })
  }, [shown, rows])
  const pause = () => isFollowing && onFollow(false)
  const lastTop = useRef(0)
  /** By touch and by the scroll bar too. Lines that are gone do not count: they leave the end in sight. */
  const pauseWhenUp = ({ scrollTop, scrollHeight, clientHeight }: HTMLDivElement) => {
    const isUp = scrollTop < lastTop.current && scrollHeight - clientHeight - scrollTop > LINE_HEIGHT
    lastTop.current = scrollTop
    if (isUp) pause()
  }
  return (
    <div
      ref={box}
      className="log"
      role="region"
      aria-label="Log"
      tabIndex={0}
      onScroll={(event) => pauseWhenUp(event.currentTarget)}
      onWheel={(event) => event.deltaY < 0 && pause()}
      onKeyDown={(event) => ['ArrowUp', 'PageUp', 'Home'].includes(event.key) && pause()}
    >
      <div style={{ height: rows.getTotalSize(), position: 'relative' }}>
        {rows.getVirtualItems().map(({ index, start, key }) => (
          <div
            key={key}
            className={index === shown ? 'log-line shown' : 'log-line'}
            style={{ transform: `translateY(${start}px)` }}
          >
            <LineTime line={lines[index]} />
            {colours && <LineName name={lines[index]?.workload} colours={colours} width={nameWidth} />}
            <span className={`log-stream ${lines[index]?.stream ?? ''}`}>{lines[index]?.stream ?? '      '}</span>
            <ForeignText text={lines[index]?.text ?? ''} />
          </div>
        ))}
      </div>
    </div>
  )
}

/** The time of a line is the link to it. */
function LineTime({ line }: { line: LogLine | undefined }) {
  if (line?.time === undefined) return null
  return (
    <Link to="." search={(before) => ({ ...before, at: line.time })} replace resetScroll={false} className="log-time">
      <time dateTime={line.time} title={line.time}>
        {line.time.slice(11, 19)}
      </time>
    </Link>
  )
}

interface LineNameProps {
  name: string | undefined
  colours: ReadonlyMap<string, number>
  width: number
}

/** As wide as the longest, so that the lines begin below one another. Of a very long one the style sheet shows the beginning. */
function LineName({ name = '', colours, width }: LineNameProps) {
  return (
    <span className={`log-name colour-${colours.get(name) ?? 0}`} style={{ width: `${width}ch` }} title={name}>
      {name}
    </span>
  )
}
