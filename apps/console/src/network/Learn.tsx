import { Link } from '@tanstack/react-router'
import type { Lesson } from '@toolhaven/contract/lesson'
import type { ReactNode } from 'react'
import type { NetworkSearch } from './network-search.ts'

interface LearnProps {
  name: string
  isObserved: boolean
  lesson: Lesson | null | undefined
  /** The plan of the step that was chosen. */
  chosen: NetworkSearch['step']
  plan: ReactNode
}

/** Observe, use, lock: the way from every public host to only the hosts that the server needs. */
export function Learn({ name, isObserved, lesson, chosen, plan }: LearnProps) {
  const places = lesson?.evidence.length ?? 0
  const canLock = lesson && (places > 0 || lesson.mode === 'observe')
  return (
    <section className="panel" aria-label="Learn what it needs">
      <h2>Learn what it needs</h2>
      <ol className="learn-steps">
        <li>
          <h3>Observe{isObserved && ' (now)'}</h3>
          {isObserved ? (
            <p>
              It may reach every public host, and Toolhaven records what it uses
              {lesson && ` since ${new Date(lesson.since).toLocaleString('en')}`}.
            </p>
          ) : (
            <p>
              It restarts with every public host allowed, and Toolhaven records what it uses. This machine and private
              networks stay out of reach. Do not observe a server that you do not trust with what it reads.
            </p>
          )}
          <Step name={name} step={isObserved ? 'stop' : 'observe'} label={isObserved ? 'Stop observing' : 'Observe'} />
          {(chosen === 'observe' || chosen === 'stop') && plan}
        </li>
        <li>
          <h3>Use its tools</h3>
          <p>
            Use what you need from a client.{' '}
            {lesson && `It used ${places === 1 ? '1 place' : `${places} places`} so far; the table above has them.`}
          </p>
        </li>
        <li>
          <h3>Lock</h3>
          <p>
            {isObserved
              ? 'After that, it can reach only what it used.'
              : 'Hosts that were refused are added to the list. No host is removed from it.'}
          </p>
          {canLock ? (
            <Step name={name} step="lock" label="Lock" />
          ) : (
            <p className="muted">There is nothing to lock to yet.</p>
          )}
          {chosen === 'lock' && plan}
        </li>
      </ol>
    </section>
  )
}

function Step({ name, step, label }: { name: string; step: NonNullable<NetworkSearch['step']>; label: string }) {
  return (
    <div className="actions">
      <Link to="/servers/$name/network" params={{ name }} search={{ step }} resetScroll={false} className="button">
        {label}
      </Link>
    </div>
  )
}
