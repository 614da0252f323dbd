import { useQuery } from '@tanstack/react-query'
import type { ExitRecord } from '@toolhaven/contract/exits'
import type { WorkloadDetails } from '@toolhaven/contract/workloads'
import { messageOf } from '../api.ts'
import { ForeignText } from '../parts/ForeignText.tsx'
import { Problem } from '../parts/Problem.tsx'
import { exitsQuery } from './exits-query.ts'

const KINDS: Readonly<Record<ExitRecord['kind'], string>> = {
  exited: 'Ended',
  unresponsive: 'Stopped answering',
  'not-started': 'Did not start',
}

/** When the server ended without being asked to, why, and what it said last. */
export function ExitsPanel({ server: { name, status, status_context: reason } }: { server: WorkloadDetails }) {
  const { data: all = [], error } = useQuery(exitsQuery(name))
  // The page begins with the one that it stands at.
  const isShown = (status === 'error' || status === 'unhealthy') && all[0] && reason.startsWith(all[0].reason)
  const exits = isShown ? all.slice(1) : all
  if (error) return <Problem message={messageOf(error)} />
  if (exits.length === 0) return null
  return (
    <section className="panel" aria-label="Earlier exits">
      <h2>Earlier exits</h2>
      <ol className="plain-list">
        {exits.map((exit, at) => (
          // oxlint-disable-next-line react/no-array-index-key -- two may end in the same millisecond
          <li key={`${exit.ended_at} ${at}`}>
            <Exit exit={exit} />
          </li>
        ))}
      </ol>
    </section>
  )
}

function Exit({ exit }: { exit: ExitRecord }) {
  const { ended_at: endedAt, last_lines: lines } = exit
  const when = new Date(endedAt).toLocaleString('en')
  const what = (
    <>
      <time dateTime={endedAt} className="muted">
        {when}
      </time>{' '}
      {KINDS[exit.kind]}: <ForeignText text={exit.reason} />
    </>
  )
  if (lines.length === 0) return <p>{what}</p>
  return (
    <details>
      <summary>{what}</summary>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls, so the keyboard must reach it */}
      <pre className="lines" aria-label={`Last lines before ${when}`} role="region" tabIndex={0}>
        <ForeignText text={lines.join('\n')} />
      </pre>
    </details>
  )
}
