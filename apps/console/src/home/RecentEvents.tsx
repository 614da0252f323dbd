import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { recentQuery } from '../live/recent-events.ts'
import { ForeignText } from '../parts/ForeignText.tsx'

const SHOWN = 8

/** Events since the page was opened. Earlier ones are in the log of each server. */
export function RecentEvents() {
  const { data: events } = useQuery(recentQuery)
  if (events.length === 0) return null
  return (
    <section className="panel" aria-label="Recent events">
      <h2>Since you opened this page</h2>
      <ul className="plain-list">
        {events.slice(0, SHOWN).map(({ id, at, server, text }) => (
          <li key={id} className="attention">
            <time className="muted" dateTime={new Date(at).toISOString()}>
              {new Date(at).toLocaleTimeString('en', { hourCycle: 'h23' })}
            </time>
            {server !== undefined && (
              <Link to="/servers/$name" params={{ name: server }}>
                {server}
              </Link>
            )}
            <span className="reason">
              <ForeignText text={text} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}
