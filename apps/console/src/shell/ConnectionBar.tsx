import { useEffect, useState } from 'react'
import type { Connection } from '../live/connection.ts'

/** Says that what is shown may be old, and since when. Nothing is shown while all is well. */
export function ConnectionBar({ connection }: { connection: Connection }) {
  return (
    <div role="status" className="connection">
      {connection.state === 'away' && (
        <p>
          Toolhaven stopped answering <Ago since={connection.since} />. Reconnecting …
        </p>
      )}
    </div>
  )
}

function Ago({ since }: { since: number }) {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    const ticking = setInterval(() => setNow(Date.now()), 1000)
    return () => clearInterval(ticking)
  }, [])
  const seconds = Math.max(0, Math.round((now - since) / 1000))
  // A reader that is told every second hears nothing else.
  return <span aria-hidden="true">{seconds < 120 ? `${seconds} s ago` : `${Math.round(seconds / 60)} min ago`}</span>
}
