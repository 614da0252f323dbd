import type { WorkloadDetails } from '@toolhaven/contract/workloads'
import { messageOf } from '../api.ts'
import { ConfirmButton } from '../parts/ConfirmButton.tsx'
import { Problem } from '../parts/Problem.tsx'
import { type LifecycleVerb, useLifecycle } from '../servers/use-lifecycle.ts'

/** Start, stop, restart and remove: those that the state allows. */
export function ServerActions({ server: { name, status } }: { server: WorkloadDetails }) {
  const lifecycle = useLifecycle()
  const ask = (verb: LifecycleVerb) => lifecycle.mutate({ verb, names: [name] })
  const isStopped = status === 'stopped'
  const isLeaving = status === 'removing' || lifecycle.isPending
  return (
    <>
      {lifecycle.error && <Problem message={messageOf(lifecycle.error)} />}
      <button type="button" disabled={isLeaving} onClick={() => ask('restart')}>
        {isStopped ? 'Start' : 'Restart'}
      </button>
      {!isStopped && (
        <button type="button" disabled={isLeaving || status === 'stopping'} onClick={() => ask('stop')}>
          Stop
        </button>
      )}
      <ConfirmButton
        verb="Remove"
        title={`Remove ${name}?`}
        className="danger"
        isDisabled={isLeaving}
        onConfirm={() => ask('delete')}
      >
        <p>Its configuration, its log and its entries in your clients are deleted, and it ends.</p>
      </ConfirmButton>
    </>
  )
}
