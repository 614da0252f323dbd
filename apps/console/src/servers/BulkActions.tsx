import { Link } from '@tanstack/react-router'
import type { Workload } from '@toolhaven/contract/workloads'
import { messageOf } from '../api.ts'
import { Code } from '../parts/Code.tsx'
import { ConfirmButton } from '../parts/ConfirmButton.tsx'
import { Problem } from '../parts/Problem.tsx'
import { bulkChoices } from './bulk-choices.ts'
import { MoveServers } from './MoveServers.tsx'
import { type LifecycleVerb, useLifecycle } from './use-lifecycle.ts'

/** What can be done with the servers that are ticked. */
export function BulkActions({ servers, onDone }: { servers: readonly Workload[]; onDone: () => void }) {
  const lifecycle = useLifecycle()
  const ask = (verb: LifecycleVerb, [first, ...others]: readonly string[]) => {
    if (first !== undefined) lifecycle.mutate({ verb, names: [first, ...others] }, { onSuccess: onDone })
  }
  const names = servers.map(({ name }) => name)
  if (names.length === 0 && !lifecycle.isError) return null
  const count = `${names.length} ${names.length === 1 ? 'server' : 'servers'}`
  const choices = bulkChoices(servers)
  const groups = new Set(servers.map(({ group }) => group))
  return (
    <section className="notice" aria-label="Chosen servers">
      {lifecycle.error && <Problem message={messageOf(lifecycle.error)} />}
      <div className="actions">
        <span>{count} chosen</span>
        {choices.map((choice) => (
          <button key={choice.label} type="button" className="small" onClick={() => ask(choice.verb, choice.names)}>
            {choice.label}
          </button>
        ))}
        <Link to="/logs" search={{ servers: names.join(',') }} className="button small">
          Show logs
        </Link>
        <ConfirmButton
          verb="Remove"
          title={`Remove ${count}?`}
          className="small danger"
          onConfirm={() => ask('delete', names)}
        >
          <div className="plain-list">
            <p>Their configuration, logs and client entries are deleted: {names.join(', ')}.</p>
            <Code text={`thv rm ${names.join(' ')}`} label="Copy the command that does the same" />
          </div>
        </ConfirmButton>
        <button type="button" className="small quiet" onClick={onDone}>
          Choose none
        </button>
      </div>
      <MoveServers names={names} from={groups.size === 1 ? [...groups][0] : undefined} onDone={onDone} />
      <details>
        <summary>The same with the command line</summary>
        <ul className="plain-list">
          {choices.map(({ label, command }) => (
            <li key={label}>
              <Code text={command} label={`Copy the command: ${label}`} />
            </li>
          ))}
        </ul>
      </details>
    </section>
  )
}
