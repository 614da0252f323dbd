import { Link } from '@tanstack/react-router'
import type { PreviewedFile } from '@toolhaven/contract/clients'
import { CopyButton } from '../parts/CopyButton.tsx'
import { ForeignText } from '../parts/ForeignText.tsx'
import { Problem } from '../parts/Problem.tsx'

type Entry = PreviewedFile['entries'][number]

/** A client's file: its path, and each of Toolhaven's entries as it is or would be written. */
export function ClientFilePanel({ file }: { file: PreviewedFile }) {
  const { path, exists, entries, adopted, notes, problem, servers_key: key } = file
  const isPlan = entries.some(({ change }) => change !== 'keep')
  return (
    <section className="panel" aria-label={path}>
      <h2>{isPlan ? 'What would be written' : 'Its file'}</h2>
      <p className="code-line">
        <code>
          <ForeignText text={path} />
        </code>
        <CopyButton text={path} label="Copy the path" />
      </p>
      {problem !== undefined && <Problem message={problem} />}
      {!exists && <p className="muted">The file does not exist yet. Toolhaven creates it with the first entry.</p>}
      {problem === undefined && (
        <p>
          {entries.length === 0 ? 'No Toolhaven entries' : 'Toolhaven entries'} below <code>{key}</code>
          {entries.length === 0 ? '.' : ':'}
        </p>
      )}
      <ul className="plain-list">
        {entries.map((entry) => (
          <li key={entry.key}>
            <EntryLine entry={entry} />
          </li>
        ))}
      </ul>
      {adopted.length > 0 && (
        <ul className="plain-list" aria-label="Adopted entries">
          {adopted.map(({ key: own, workload }) => (
            <li key={own}>
              <ForeignText text={own} /> was adopted and leads to{' '}
              <Link to="/servers/$name" params={{ name: workload }}>
                {workload}
              </Link>
              . <Link to="/adopt">Undo it</Link>
            </li>
          ))}
        </ul>
      )}
      {notes.length > 0 && (
        <p className="notice">
          <ForeignText text={notes.join(' ')} />
        </p>
      )}
    </section>
  )
}

const CHANGES = {
  add: { mark: '+', spoken: 'Added: ' },
  change: { mark: '±', spoken: 'Changed: ' },
  keep: { mark: '', spoken: '' },
  remove: { mark: '−', spoken: 'Removed: ' },
} as const satisfies Record<Entry['change'], unknown>

function EntryLine({ entry: { key, workload, change, fields } }: { entry: Entry }) {
  const { mark, spoken } = CHANGES[change]
  const text = fields === undefined ? key : `${key}: ${JSON.stringify(fields)}`
  const Line = change === 'remove' ? 'del' : change === 'keep' ? 'span' : 'ins'
  return (
    <div className="difference lines">
      <Line>
        <span className="only-read-aloud">{spoken}</span>
        {mark !== '' && <span aria-hidden="true">{mark} </span>}
        <ForeignText text={text} />{' '}
        {key !== workload && (
          <>
            (leads to{' '}
            <Link to="/servers/$name" params={{ name: workload }}>
              {workload}
            </Link>
            )
          </>
        )}
      </Line>
    </div>
  )
}
