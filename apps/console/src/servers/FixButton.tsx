import { Link } from '@tanstack/react-router'
import type { Workload } from '@toolhaven/contract/workloads'
import { fixOf } from './fix-of.ts'
import { useLifecycle } from './use-lifecycle.ts'

/** The button that puts a server right, where there is one. */
export function FixButton({ server }: { server: Pick<Workload, 'name' | 'status' | 'status_context'> }) {
  const lifecycle = useLifecycle()
  const fix = fixOf(server)
  if (fix?.kind === 'log-in')
    return (
      <a className="button small" href={fix.address} target="_blank" rel="noreferrer">
        {fix.label}
        <span className="only-read-aloud"> to {server.name}, in a new tab</span>
      </a>
    )
  if (fix?.kind === 'review')
    return (
      <Link to="/servers/$name/tools" params={{ name: server.name }} className="button small">
        {fix.label}
        <span className="only-read-aloud"> the changed tools of {server.name}</span>
      </Link>
    )
  if (fix?.kind === 'restart')
    return (
      <button
        type="button"
        className="small"
        disabled={lifecycle.isPending}
        onClick={() => lifecycle.mutate({ verb: 'restart', names: [server.name] })}
      >
        {fix.label}
        <span className="only-read-aloud"> {server.name}</span>
      </button>
    )
  return null
}
