import { Link } from '@tanstack/react-router'
import type { WorkloadDetails } from '@toolhaven/contract/workloads'
import { ForeignText } from '../parts/ForeignText.tsx'
import { AsSent } from './AsSent.tsx'
import { CallCommands } from './CallCommands.tsx'
import { SHAPES, WORDS } from './outcome-words.ts'
import type { Try, TryDesk } from './try-desk.ts'
import { TryResult } from './TryResult.tsx'

export interface TryPanelProps {
  server: WorkloadDetails
  desk: TryDesk
  tried: Try
}

/** One call: how it goes or went, what came back, and ways to make it again. */
export function TryPanel({ server, desk, tried }: TryPanelProps) {
  const { id, item, at, outcome, fault, notes, progress, traffic } = tried
  return (
    <article className="panel" aria-label={`${item} at ${new Date(at).toLocaleTimeString('en')}`}>
      <TryHead tried={tried} />
      {outcome === 'running' && (
        <div className="actions">
          {progress && <Progress progress={progress} />}
          <button type="button" className="small" onClick={() => desk.cancel(id)}>
            Cancel
          </button>
        </div>
      )}
      {fault !== undefined && (
        <p className="fault">
          <ForeignText text={fault} />
        </p>
      )}
      {notes.length > 0 && (
        <ul className="plain-list" aria-label="Log messages">
          {notes.map((note, place) => (
            // oxlint-disable-next-line react/no-array-index-key -- a server may say the same twice
            <li key={place} className="muted">
              <ForeignText text={note} />
            </li>
          ))}
        </ul>
      )}
      <TryResult tried={tried} />
      <TryActions server={server} tried={tried} />
      <AsSent traffic={traffic} />
    </article>
  )
}

function TryHead({ tried: { item, outcome, tookMs, traffic, at } }: { tried: Try }) {
  return (
    <header className="try-head">
      <h3>
        <ForeignText text={item} />
      </h3>
      <span className={`outcome outcome-${outcome}`}>
        <span aria-hidden="true">{SHAPES[outcome]}</span> {WORDS[outcome]}
      </span>
      <span className="muted">
        {tookMs !== undefined && `${timeOf(tookMs)} · ${sizeOf(traffic)} · `}
        <time dateTime={new Date(at).toISOString()}>{new Date(at).toLocaleTimeString('en')}</time>
      </span>
    </header>
  )
}

function Progress({ progress: { done, total, says } }: { progress: NonNullable<Try['progress']> }) {
  return (
    <label className="progress">
      <progress value={total === undefined ? undefined : done} max={total} />
      <span>
        {done}
        {total !== undefined && ` of ${total}`} <ForeignText text={says} />
      </span>
    </label>
  )
}

function TryActions({ server, tried: { id, kind, item, args } }: { server: WorkloadDetails; tried: Try }) {
  return (
    <div className="actions">
      <Link
        className="button small"
        to="/servers/$name/try"
        params={{ name: server.name }}
        search={{ [kind]: item }}
        state={(before) => ({ ...before, tryArguments: args, tryEdition: id })}
      >
        Edit and try again
      </Link>
      <CallCommands {...{ server, kind, item, args }} />
    </div>
  )
}

const timeOf = (ms: number) => (ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`)

function sizeOf(traffic: Try['traffic']): string {
  const received = traffic.filter(({ isSent }) => !isSent).reduce((sum, { text }) => sum + text.length, 0)
  return received < 1000 ? `${received} characters` : `${Math.round(received / 1000)} K characters`
}
