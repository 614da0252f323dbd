import { messageOf } from '../api.ts'
import { ConfirmButton } from '../parts/ConfirmButton.tsx'
import { Problem } from '../parts/Problem.tsx'
import { type LifecycleVerb, useLifecycle } from './use-lifecycle.ts'

/** What can be done with the servers that are ticked. */
export function BulkActions({ names, onDone }: { names: readonly string[]; onDone: () => void }) {
  const lifecycle = useLifecycle()
  const [first, ...others] = names
  const ask = (verb: LifecycleVerb) => {
    if (first !== undefined) lifecycle.mutate({ verb, names: [first, ...others] }, { onSuccess: onDone })
  }
  if (first === undefined && !lifecycle.isError) return null
  const count = `${names.length} ${names.length === 1 ? 'server' : 'servers'}`
  return (
    <section className="notice" aria-label="Chosen servers">
      {lifecycle.error && <Problem message={messageOf(lifecycle.error)} />}
      <div className="actions">
        <span>{count} chosen</span>
        <button type="button" className="small" onClick={() => ask('restart')}>
          Restart
        </button>
        <button type="button" className="small" onClick={() => ask('stop')}>
          Stop
        </button>
        <ConfirmButton
          verb="Remove"
          title={`Remove ${count}?`}
          className="small danger"
          onConfirm={() => ask('delete')}
        >
          <p>Their configuration, containers and client entries are deleted: {names.join(', ')}. Their logs stay.</p>
        </ConfirmButton>
        <button type="button" className="small quiet" onClick={onDone}>
          Choose none
        </button>
      </div>
    </section>
  )
}
