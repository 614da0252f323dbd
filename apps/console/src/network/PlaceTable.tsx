import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { ForeignText } from '../parts/ForeignText.tsx'
import type { Place } from './places.ts'

/** What is asked for, given, observed and refused, side by side. */
export function PlaceTable({ name, places }: { name: string; places: readonly Place[] }) {
  return (
    <table className="table places">
      <caption className="only-read-aloud">Hosts of {name}</caption>
      <thead>
        <tr>
          {['Host', 'The registry asks', 'Given', 'Observed', 'Refused'].map((title) => (
            <th key={title} scope="col">
              {title}
            </th>
          ))}
          <th scope="col">
            <span className="only-read-aloud">Actions</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {places.map((place) => (
          <PlaceRow key={place.entry} name={name} place={place} />
        ))}
      </tbody>
    </table>
  )
}

function PlaceRow({
  name,
  place: { entry, isAsked, given, observed, refused, action },
}: {
  name: string
  place: Place
}) {
  return (
    <tr>
      <th scope="row">
        <code>
          <ForeignText text={entry} />
        </code>
      </th>
      <Cell label="The registry asks">{isAsked ? 'yes' : 'no'}</Cell>
      <Cell label="Given">{given === 'listed' ? 'yes' : given === 'no' ? 'no' : `yes, ${given}`}</Cell>
      <Cell label="Observed">
        {observed.length === 0 ? (
          'no'
        ) : (
          <Lines lines={observed.map(({ count, blocked, ...seen }) => timesAt(count - blocked, seen))} />
        )}
      </Cell>
      <Cell label="Refused">
        {refused.length === 0 ? (
          'no'
        ) : (
          <Lines
            lines={refused.map((seen) =>
              'blocked' in seen
                ? `${timesAt(seen.blocked, seen)}: no list names it`
                : `${timesAt(seen.count, seen)}: ${seen.reason}`,
            )}
          />
        )}
      </Cell>
      <td className="fits">
        {action && (
          <Link
            to="/servers/$name/network"
            params={{ name }}
            search={{ [action.kind]: action.host }}
            resetScroll={false}
            className="button small"
          >
            {action.kind === 'allow' ? 'Allow' : 'Remove'}
            <span className="only-read-aloud">
              {' '}
              <ForeignText text={action.host} />
            </span>
          </Link>
        )}
      </td>
    </tr>
  )
}

/** On a phone, which has no line of titles, each cell says what it is. */
function Cell({ label, children }: { label: string; children: ReactNode }) {
  return (
    <td>
      <span className="cell-title">{label}: </span>
      {children}
    </td>
  )
}

function Lines({ lines }: { lines: readonly string[] }) {
  return (
    <ul className="plain-list">
      {lines.map((line) => (
        <li key={line}>
          <ForeignText text={line} />
        </li>
      ))}
    </ul>
  )
}

function timesAt(count: number, { port, last_seen: at }: { port: number; last_seen: string }): string {
  const where = port === 0 ? 'by name' : `at port ${port}`
  return `${count === 1 ? 'once' : `${count} times`} ${where}, last ${new Date(at).toLocaleString('en')}`
}
