import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Code } from '../parts/Code.tsx'
import { ForeignText } from '../parts/ForeignText.tsx'
import { StatusBadge } from '../parts/StatusBadge.tsx'
import { lastLinesQuery, workloadsQuery } from '../queries.ts'

/** How the start goes, as the daemon reports it: progress, then the server, or the reason and its last lines. */
export function Outcome({ name }: { name: string }) {
  const { data: servers } = useQuery(workloadsQuery)
  const server = servers?.find((each) => each.name === name)
  const hasFailed = server?.status === 'error' || server?.status === 'unhealthy'
  const { data: lines = [] } = useQuery({ ...lastLinesQuery(name), enabled: hasFailed })
  return (
    <section className={hasFailed ? 'problem' : 'notice'} aria-label="Outcome">
      <div role="status" className="plain-list">
        {server && <StatusBadge status={server.status} />}
        <p>
          <ForeignText text={server?.status_context ?? 'Waiting for the daemon …'} />
        </p>
      </div>
      {hasFailed && lines.length > 0 && (
        <pre className="lines" aria-label="Last lines of its log" role="region" tabIndex={0}>
          <ForeignText text={lines.join('\n')} />
        </pre>
      )}
      {hasFailed && <p>Change the form and apply it again, or leave the server as it is.</p>}
      {server?.status === 'running' && <Code text={server.url} label="Copy the address" />}
      <p className="actions">
        <Link to="/servers/$name" params={{ name }} className="button small">
          Open {name}
        </Link>
        {server?.status === 'running' && (
          <>
            <Link to="/servers/$name/try" params={{ name }} className="button small">
              Try its tools
            </Link>
            <Link to="/clients" className="button small">
              Connect a client
            </Link>
          </>
        )}
      </p>
    </section>
  )
}
